//! The ports in memory: for tests, and for embedding the pipeline where nothing should be kept.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{
    BlobStore, Catalog, CatalogError, Delivery, DocumentRecord, DocumentRow, DocumentStatus,
    PageRecord, PageRow, PageState, PortFuture, RequestSource, SourceError, StoreError, check_key,
};
use crate::pages::PageSet;
use crate::request::{DocumentId, Request};

/// Nothing here can panic while it holds a lock half-written, so a poisoned one is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Blobs in a map.
#[derive(Debug, Default)]
pub struct MemoryBlobs {
    blobs: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl MemoryBlobs {
    /// Every key, in order.
    pub fn keys(&self) -> Vec<String> {
        lock(&self.blobs).keys().cloned().collect()
    }
}

impl BlobStore for MemoryBlobs {
    fn put<'a>(&'a self, key: &'a str, bytes: Vec<u8>) -> PortFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            check_key(key)?;
            lock(&self.blobs).insert(key.to_owned(), bytes);
            Ok(())
        })
    }

    fn get<'a>(&'a self, key: &'a str) -> PortFuture<'a, Result<Option<Vec<u8>>, StoreError>> {
        Box::pin(async move {
            check_key(key)?;
            Ok(lock(&self.blobs).get(key).cloned())
        })
    }

    fn size<'a>(&'a self, key: &'a str) -> PortFuture<'a, Result<Option<u64>, StoreError>> {
        Box::pin(async move {
            check_key(key)?;
            Ok(lock(&self.blobs).get(key).map(|bytes| bytes.len() as u64))
        })
    }
}

/// A catalog in a list.
#[derive(Debug, Default)]
pub struct MemoryCatalog {
    documents: Mutex<Vec<Entry>>,
}

#[derive(Debug)]
struct Entry {
    record: DocumentRecord,
    pages: BTreeMap<u32, (PageRecord, Option<PageRow>)>,
}

impl MemoryCatalog {
    fn with<T>(
        &self,
        id: &DocumentId,
        change: impl FnOnce(&mut Entry) -> T,
    ) -> Result<T, CatalogError> {
        let mut documents = lock(&self.documents);
        let entry = documents.iter_mut().find(|entry| entry.record.id == *id);
        let entry = entry.ok_or_else(|| CatalogError::Unavailable {
            reason: format!("document {id} was never begun"),
        })?;
        let answer = change(entry);
        entry.recount();
        Ok(answer)
    }
}

impl Entry {
    fn recount(&mut self) {
        let of = |wanted: PageState| {
            self.pages
                .values()
                .filter(move |(record, _)| record.state == wanted)
                .map(|(record, _)| record.page)
        };
        self.record.completed = of(PageState::Completed).collect();
        self.record.failed = of(PageState::Failed).collect();
        let needs_ocr = |page: &u32| self.pages[page].1.as_ref().is_some_and(|row| row.needs_ocr);
        self.record.needs_ocr = of(PageState::Completed).filter(needs_ocr).collect();
    }
}

impl Catalog for MemoryCatalog {
    fn begin<'a>(
        &'a self,
        row: &'a DocumentRow,
    ) -> PortFuture<'a, Result<DocumentRecord, CatalogError>> {
        Box::pin(async move {
            let mut documents = lock(&self.documents);
            let known = documents.iter_mut().find(|entry| entry.record.id == row.id);
            if let Some(entry) = known {
                entry.record.name.clone_from(&row.name);
                entry.record.status = DocumentStatus::Running;
                entry.record.reason = None;
                return Ok(entry.record.clone());
            }
            let record = DocumentRecord {
                id: row.id,
                name: row.name.clone(),
                folder: row.folder.clone(),
                pages: None,
                title: None,
                status: DocumentStatus::Running,
                reason: None,
                completed: Default::default(),
                failed: Default::default(),
                needs_ocr: Default::default(),
            };
            documents.push(Entry {
                record: record.clone(),
                pages: BTreeMap::new(),
            });
            Ok(record)
        })
    }

    fn opened<'a>(
        &'a self,
        id: &'a DocumentId,
        pages: u32,
        title: Option<&'a str>,
        _engine: &'a str,
    ) -> PortFuture<'a, Result<(), CatalogError>> {
        Box::pin(async move {
            self.with(id, |entry| {
                entry.record.pages = Some(pages);
                entry.record.title = title.map(str::to_owned);
            })
        })
    }

    fn store_layout<'a>(
        &'a self,
        id: &'a DocumentId,
        page: &'a PageRow,
    ) -> PortFuture<'a, Result<(), CatalogError>> {
        Box::pin(async move {
            let record = PageRecord {
                page: page.page,
                state: PageState::Stored,
                reason: None,
                words: page.words,
                layout_bytes: page.layout_bytes,
                image_bytes: page.image_bytes,
            };
            self.with(id, |entry| {
                entry.pages.insert(page.page, (record, Some(page.clone())))
            })
            .map(drop)
        })
    }

    fn complete_page<'a>(
        &'a self,
        id: &'a DocumentId,
        page: u32,
    ) -> PortFuture<'a, Result<(), CatalogError>> {
        Box::pin(async move {
            self.with(id, |entry| match entry.pages.get_mut(&page) {
                Some((record, Some(_))) => {
                    record.state = PageState::Completed;
                    Ok(())
                }
                _ => Err(CatalogError::Guard { page }),
            })?
        })
    }

    fn reopen<'a>(
        &'a self,
        id: &'a DocumentId,
        pages: &'a PageSet,
    ) -> PortFuture<'a, Result<(), CatalogError>> {
        Box::pin(async move {
            self.with(id, |entry| {
                for page in pages {
                    if let Some((record, _)) = entry.pages.get_mut(page)
                        && record.state == PageState::Completed
                    {
                        record.state = PageState::Stored;
                    }
                }
            })
        })
    }

    fn fail_page<'a>(
        &'a self,
        id: &'a DocumentId,
        page: u32,
        reason: &'a str,
    ) -> PortFuture<'a, Result<(), CatalogError>> {
        Box::pin(async move {
            let record = PageRecord {
                page,
                state: PageState::Failed,
                reason: Some(reason.to_owned()),
                words: 0,
                layout_bytes: 0,
                image_bytes: 0,
            };
            self.with(id, |entry| entry.pages.insert(page, (record, None)))
                .map(drop)
        })
    }

    fn finish<'a>(
        &'a self,
        id: &'a DocumentId,
        status: DocumentStatus,
        reason: Option<&'a str>,
    ) -> PortFuture<'a, Result<(), CatalogError>> {
        Box::pin(async move {
            self.with(id, |entry| {
                entry.record.status = status;
                entry.record.reason = reason.map(str::to_owned);
            })
        })
    }

    fn pages<'a>(
        &'a self,
        id: &'a DocumentId,
    ) -> PortFuture<'a, Result<Vec<PageRecord>, CatalogError>> {
        Box::pin(async move {
            self.with(id, |entry| {
                entry
                    .pages
                    .values()
                    .map(|(record, _)| record.clone())
                    .collect()
            })
        })
    }

    fn texts<'a>(
        &'a self,
        id: &'a DocumentId,
    ) -> PortFuture<'a, Result<Vec<(u32, String)>, CatalogError>> {
        Box::pin(async move {
            let text = |(record, row): &(PageRecord, Option<PageRow>)| match row {
                Some(row) if record.state == PageState::Completed => {
                    Some((record.page, row.text.clone()))
                }
                _ => None,
            };
            self.with(id, |entry| entry.pages.values().filter_map(text).collect())
        })
    }

    fn documents(&self) -> PortFuture<'_, Result<Vec<DocumentRecord>, CatalogError>> {
        Box::pin(async move {
            Ok(lock(&self.documents)
                .iter()
                .map(|entry| entry.record.clone())
                .collect())
        })
    }
}

/// A fixed list of requests, in order; what is given back comes again at the end.
#[derive(Debug, Default)]
pub struct RequestList {
    waiting: Mutex<VecDeque<Delivery>>,
}

impl RequestList {
    /// Gives out `requests` in order.
    pub fn new(requests: impl IntoIterator<Item = Request>) -> Self {
        let deliver = |(tag, request)| Delivery {
            tag,
            attempt: 1,
            request,
        };
        Self {
            waiting: Mutex::new((0..).zip(requests).map(deliver).collect()),
        }
    }
}

impl RequestSource for RequestList {
    fn next(&self) -> PortFuture<'_, Result<Option<Delivery>, SourceError>> {
        Box::pin(async move { Ok(lock(&self.waiting).pop_front()) })
    }

    fn ack(&self, _delivery: Delivery) -> PortFuture<'_, Result<(), SourceError>> {
        Box::pin(async move { Ok(()) })
    }

    fn nack(&self, delivery: Delivery) -> PortFuture<'_, Result<(), SourceError>> {
        Box::pin(async move {
            let again = Delivery {
                attempt: delivery.attempt + 1,
                ..delivery
            };
            lock(&self.waiting).push_back(again);
            Ok(())
        })
    }
}
