//! The contract of each port as functions: an implementation is right when its suite passes. They panic on a breach.

use super::{
    BlobStore, Catalog, CatalogError, DocumentRow, DocumentStatus, PageRow, PageState,
    RequestSource, StoreError,
};
use crate::request::{DocumentId, Options};

/// What every [`BlobStore`] keeps.
pub async fn blob_store(store: &dyn BlobStore) {
    assert_eq!(
        store.size("a/b.bin").await.unwrap(),
        None,
        "a key never put has no size"
    );
    assert_eq!(
        store.get("a/b.bin").await.unwrap(),
        None,
        "a key never put has no bytes"
    );

    store.put("a/b.bin", b"first".to_vec()).await.unwrap();
    assert_eq!(
        store.get("a/b.bin").await.unwrap().as_deref(),
        Some(&b"first"[..])
    );
    assert_eq!(store.size("a/b.bin").await.unwrap(), Some(5));

    store.put("a/b.bin", b"second one".to_vec()).await.unwrap();
    assert_eq!(
        store.get("a/b.bin").await.unwrap().as_deref(),
        Some(&b"second one"[..]),
        "a second put replaces"
    );

    store.put("a/empty", Vec::new()).await.unwrap();
    assert_eq!(
        store.size("a/empty").await.unwrap(),
        Some(0),
        "an empty blob is a blob"
    );
    store
        .put("a/ünï 'quoted' #1.txt", b"x".to_vec())
        .await
        .unwrap();
    assert_eq!(store.size("a/ünï 'quoted' #1.txt").await.unwrap(), Some(1));

    for bad in [
        "", "/a", "a//b", "../a", "a/../b", "a/.", "a/", "a\0b", "a\\b",
    ] {
        let put = store.put(bad, b"x".to_vec()).await;
        assert!(
            matches!(put, Err(StoreError::Rejected { .. })),
            "{bad:?} must be rejected, got {put:?}"
        );
        let size = store.size(bad).await;
        assert!(
            matches!(size, Err(StoreError::Rejected { .. })),
            "{bad:?} must be rejected, got {size:?}"
        );
    }
}

/// What every [`Catalog`] keeps.
pub async fn catalog(catalog: &dyn Catalog) {
    let row = document("one", "a.pdf");
    let begun = catalog.begin(&row).await.unwrap();
    assert_eq!(
        (begun.status, begun.pages, &begun.folder),
        (DocumentStatus::Running, None, &row.folder)
    );
    catalog
        .opened(&row.id, 3, Some("A title"), "engine 1")
        .await
        .unwrap();

    pages_complete_only_after_their_layout(catalog, &row.id).await;
    a_second_run_finds_what_the_first_left(catalog, &row).await;
    a_page_stored_again_is_incomplete_until_completed(catalog, &row.id).await;
    documents_are_listed_apart_and_in_order(catalog, &row.id).await;
}

async fn pages_complete_only_after_their_layout(catalog: &dyn Catalog, id: &DocumentId) {
    let early = catalog.complete_page(id, 1).await;
    assert!(
        matches!(early, Err(CatalogError::Guard { page: 1 })),
        "no layout, no page: {early:?}"
    );

    let awkward = "control \u{1} and \u{fffd}, 'quotes', \u{10348} and עברית";
    catalog.store_layout(id, &page(1, awkward)).await.unwrap();
    assert_eq!(
        text_of(catalog, id, 1).await,
        None,
        "a stored page does not count yet"
    );
    catalog.complete_page(id, 1).await.unwrap();
    catalog.complete_page(id, 1).await.unwrap();
    assert_eq!(
        text_of(catalog, id, 1).await.as_deref(),
        Some(awkward),
        "text comes back as given"
    );

    catalog
        .store_layout(
            id,
            &PageRow {
                needs_ocr: true,
                ..page(3, "")
            },
        )
        .await
        .unwrap();
    catalog.complete_page(id, 3).await.unwrap();
    catalog.fail_page(id, 2, "too large").await.unwrap();
    let failed_complete = catalog.complete_page(id, 2).await;
    assert!(
        matches!(failed_complete, Err(CatalogError::Guard { page: 2 })),
        "a failed page has no layout"
    );

    let pages = catalog.pages(id).await.unwrap();
    let states: Vec<_> = pages.iter().map(|page| (page.page, page.state)).collect();
    assert_eq!(
        states,
        [
            (1, PageState::Completed),
            (2, PageState::Failed),
            (3, PageState::Completed)
        ]
    );
    assert_eq!(pages[1].reason.as_deref(), Some("too large"));
    assert_eq!(
        (pages[0].layout_bytes, pages[0].image_bytes),
        (3, 70_000),
        "lengths come back as given"
    );
}

async fn a_second_run_finds_what_the_first_left(catalog: &dyn Catalog, row: &DocumentRow) {
    catalog
        .finish(&row.id, DocumentStatus::Failed, Some("page 2 failed"))
        .await
        .unwrap();
    let listed = catalog.documents().await.unwrap();
    assert_eq!(
        (listed[0].status, listed[0].reason.as_deref()),
        (DocumentStatus::Failed, Some("page 2 failed"))
    );

    let renamed = DocumentRow {
        name: "b.pdf".into(),
        folder: "elsewhere".into(),
        ..row.clone()
    };
    let again = catalog.begin(&renamed).await.unwrap();
    assert_eq!(again.folder, row.folder, "the first run decides the folder");
    assert_eq!(again.name, "b.pdf", "the last run decides the name");
    assert_eq!(
        (again.status, again.reason),
        (DocumentStatus::Running, None)
    );
    assert_eq!(
        (again.pages, again.title.as_deref()),
        (Some(3), Some("A title"))
    );
    assert_eq!(again.completed, [1, 3].into());
    assert_eq!(again.failed, [2].into());
    assert_eq!(again.needs_ocr, [3].into());
}

async fn a_page_stored_again_is_incomplete_until_completed(catalog: &dyn Catalog, id: &DocumentId) {
    catalog.store_layout(id, &page(1, "again")).await.unwrap();
    assert_eq!(text_of(catalog, id, 1).await, None);
    catalog.complete_page(id, 1).await.unwrap();
    assert_eq!(text_of(catalog, id, 1).await.as_deref(), Some("again"));

    catalog
        .store_layout(id, &page(2, "better now"))
        .await
        .unwrap();
    catalog.complete_page(id, 2).await.unwrap();
    let second = &catalog.pages(id).await.unwrap()[1];
    assert_eq!(
        (second.state, second.reason.as_deref()),
        (PageState::Completed, None),
        "a retried page forgets its failure"
    );
}

async fn documents_are_listed_apart_and_in_order(catalog: &dyn Catalog, first: &DocumentId) {
    let other = document("two", "c.pdf");
    catalog.begin(&other).await.unwrap();
    catalog
        .finish(&other.id, DocumentStatus::Interrupted, None)
        .await
        .unwrap();
    let ids: Vec<_> = catalog
        .documents()
        .await
        .unwrap()
        .into_iter()
        .map(|document| document.id)
        .collect();
    assert_eq!(ids, [*first, other.id]);
    assert!(
        catalog.pages(&other.id).await.unwrap().is_empty(),
        "pages belong to their document"
    );
}

/// What every [`RequestSource`] keeps. It must hold exactly two requests, and no more may come.
pub async fn request_source(source: &dyn RequestSource) {
    let first = source.next().await.unwrap().expect("the first request");
    let second = source.next().await.unwrap().expect("the second request");
    assert_ne!(first.tag, second.tag, "a delivery is known by its tag");
    assert_eq!((first.attempt, second.attempt), (1, 1));

    let given_back = first.request.name.clone();
    source.nack(first).await.unwrap();
    source.ack(second).await.unwrap();
    let again = source
        .next()
        .await
        .unwrap()
        .expect("what was given back comes again");
    assert_eq!((&again.request.name, again.attempt), (&given_back, 2));
    source.ack(again).await.unwrap();
    assert!(
        source.next().await.unwrap().is_none(),
        "what was settled never comes again"
    );
}

async fn text_of(catalog: &dyn Catalog, id: &DocumentId, page: u32) -> Option<String> {
    let texts = catalog.texts(id).await.unwrap();
    assert!(
        texts.is_sorted_by_key(|(page, _)| *page),
        "texts come in page order"
    );
    texts
        .into_iter()
        .find(|(number, _)| *number == page)
        .map(|(_, text)| text)
}

fn document(content: &str, name: &str) -> DocumentRow {
    let id =
        DocumentId::of(&mut content.as_bytes(), &Options::default()).expect("reading from memory");
    DocumentRow {
        id,
        name: name.into(),
        folder: format!("{content}-{}", id.short()),
        options: "150 dpi, jpeg 85".into(),
    }
}

fn page(page: u32, text: &str) -> PageRow {
    PageRow {
        page,
        layout: "{}\n".into(),
        text: text.into(),
        words: 1,
        needs_ocr: false,
        layout_bytes: 3,
        image_bytes: 70_000,
    }
}

#[cfg(test)]
mod tests {
    use crate::ports::memory::{MemoryBlobs, MemoryCatalog, RequestList};
    use crate::testing::request;

    #[tokio::test]
    async fn memory_blobs_keep_the_contract() {
        super::blob_store(&MemoryBlobs::default()).await;
    }

    #[tokio::test]
    async fn memory_catalog_keeps_the_contract() {
        super::catalog(&MemoryCatalog::default()).await;
    }

    #[tokio::test]
    async fn a_request_list_keeps_the_contract() {
        super::request_source(&RequestList::new([request("a.pdf"), request("b.pdf")])).await;
    }
}
