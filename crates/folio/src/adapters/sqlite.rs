//! The catalog in a SQLite file.

use std::path::Path;
use std::time::Duration;

use folio_core::pages::PageSet;
use folio_core::ports::{
    Catalog, CatalogError, DocumentRecord, DocumentRow, DocumentStatus, PageRecord, PageRow,
    PageState, PortFuture,
};
use folio_core::request::DocumentId;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow,
    SqliteSynchronous,
};
use sqlx::{Row, SqlSafeStr};

use crate::limits;

/// Documents and pages in one file: write-ahead log, one writing connection.
///
/// `synchronous = NORMAL`: every commit survives the death of the process; a power cut may take the last ones, whose
/// pages are then done again.
#[derive(Clone, Debug)]
pub struct SqliteCatalog {
    pool: SqlitePool,
}

impl SqliteCatalog {
    /// Opens the file, making it and bringing its tables up to date.
    ///
    /// # Errors
    /// When it is no database, cannot be written, or was made by a newer version.
    pub async fn open(file: &Path) -> Result<Self, CatalogError> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .foreign_keys(true)
            .busy_timeout(limits::CATALOG_BUSY);
        let pool = pool(options).await?;
        migrations()
            .run(&pool)
            .await
            .map_err(|error| unavailable(&format!("folio.db cannot be brought up to date ({error}); it may be of a newer folio: use that, or choose another folder with --out")))?;
        Ok(Self { pool })
    }

    /// Opens an existing file for reading, beside a run that may be writing it.
    ///
    /// # Errors
    /// When it is not there or is no database.
    pub async fn open_read_only(file: &Path) -> Result<Self, CatalogError> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .read_only(true)
            .busy_timeout(limits::CATALOG_BUSY);
        let beside_a_writer = match pool(options.clone()).await {
            Ok(pool) => Self { pool }.checked().await,
            Err(error) => Err(error),
        };
        match beside_a_writer {
            Ok(catalog) => Ok(catalog),
            // Reading beside a writer needs to write the log's index. Where that is not allowed nobody can be writing.
            Err(_) => {
                Self {
                    pool: pool(options.immutable(true)).await?,
                }
                .checked()
                .await
            }
        }
    }

    async fn checked(self) -> Result<Self, CatalogError> {
        sqlx::query("SELECT key FROM documents LIMIT 1")
            .fetch_optional(&self.pool)
            .await
            .map_err(failed)?;
        Ok(self)
    }

    /// Folds the log into the file and closes it.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

async fn pool(options: SqliteConnectOptions) -> Result<SqlitePool, CatalogError> {
    // One connection: SQLite has one writer anyway, and a second would only wait for it. It is never closed for age.
    let settings = SqlitePoolOptions::new()
        .max_connections(1)
        .idle_timeout(None::<Duration>)
        .max_lifetime(None::<Duration>);
    settings.connect_with(options).await.map_err(failed)
}

fn migrations() -> Migrator {
    let first = include_str!("../../migrations/sqlite/0001_documents_and_pages.sql");
    let migration = Migration::new(
        1,
        "documents and pages".into(),
        MigrationType::Simple,
        first.into_sql_str(),
        false,
    );
    Migrator::with_migrations(vec![migration])
}

impl Catalog for SqliteCatalog {
    fn begin<'a>(
        &'a self,
        row: &'a DocumentRow,
    ) -> PortFuture<'a, Result<DocumentRecord, CatalogError>> {
        Box::pin(async move {
            let sql = "INSERT INTO documents (id, name, folder, options, status) VALUES (?1, ?2, ?3, ?4, 'running') \
                       ON CONFLICT (id) DO UPDATE SET name = excluded.name, status = 'running', reason = NULL";
            let id = row.id.to_string();
            sqlx::query(sql)
                .bind(&id)
                .bind(&row.name)
                .bind(&row.folder)
                .bind(&row.options)
                .execute(&self.pool)
                .await
                .map_err(failed)?;
            let sql = "SELECT id, name, folder, pages, title, status, reason FROM documents WHERE id = ?1";
            let found = sqlx::query(sql)
                .bind(&id)
                .fetch_one(&self.pool)
                .await
                .map_err(failed)?;
            self.with_pages(document(&found)?).await
        })
    }

    fn opened<'a>(
        &'a self,
        id: &'a DocumentId,
        pages: u32,
        title: Option<&'a str>,
        engine: &'a str,
    ) -> PortFuture<'a, Result<(), CatalogError>> {
        Box::pin(async move {
            let sql = "UPDATE documents SET pages = ?2, title = ?3, engine = ?4 WHERE id = ?1";
            let query = sqlx::query(sql)
                .bind(id.to_string())
                .bind(pages)
                .bind(title)
                .bind(engine);
            query.execute(&self.pool).await.map(drop).map_err(failed)
        })
    }

    fn store_layout<'a>(
        &'a self,
        id: &'a DocumentId,
        page: &'a PageRow,
    ) -> PortFuture<'a, Result<(), CatalogError>> {
        Box::pin(async move {
            let sql = "INSERT INTO pages (document, page, state, words, needs_ocr, layout, text, layout_bytes, image_bytes) \
                       VALUES ((SELECT key FROM documents WHERE id = ?1), ?2, 'stored', ?3, ?4, ?5, ?6, ?7, ?8) \
                       ON CONFLICT (document, page) DO UPDATE SET state = 'stored', reason = NULL, words = excluded.words, \
                       needs_ocr = excluded.needs_ocr, layout = excluded.layout, text = excluded.text, \
                       layout_bytes = excluded.layout_bytes, image_bytes = excluded.image_bytes";
            let query = sqlx::query(sql)
                .bind(id.to_string())
                .bind(page.page)
                .bind(page.words)
                .bind(page.needs_ocr);
            let query = query
                .bind(&page.layout)
                .bind(&page.text)
                .bind(signed(page.layout_bytes))
                .bind(signed(page.image_bytes));
            query.execute(&self.pool).await.map(drop).map_err(failed)
        })
    }

    fn complete_page<'a>(
        &'a self,
        id: &'a DocumentId,
        page: u32,
    ) -> PortFuture<'a, Result<(), CatalogError>> {
        Box::pin(async move {
            let sql = "UPDATE pages SET state = 'completed' WHERE page = ?2 AND state IN ('stored', 'completed') \
                       AND document = (SELECT key FROM documents WHERE id = ?1)";
            let done = sqlx::query(sql)
                .bind(id.to_string())
                .bind(page)
                .execute(&self.pool)
                .await
                .map_err(failed)?;
            match done.rows_affected() {
                0 => Err(CatalogError::Guard { page }),
                _ => Ok(()),
            }
        })
    }

    fn reopen<'a>(
        &'a self,
        id: &'a DocumentId,
        pages: &'a PageSet,
    ) -> PortFuture<'a, Result<(), CatalogError>> {
        Box::pin(async move {
            let sql = "UPDATE pages SET state = 'stored' WHERE state = 'completed' \
                       AND document = (SELECT key FROM documents WHERE id = ?1) \
                       AND page IN (SELECT value FROM json_each(?2))";
            let pages = serde_json::Value::from_iter(pages.iter().copied()).to_string();
            let query = sqlx::query(sql).bind(id.to_string()).bind(pages);
            query.execute(&self.pool).await.map(drop).map_err(failed)
        })
    }

    fn fail_page<'a>(
        &'a self,
        id: &'a DocumentId,
        page: u32,
        reason: &'a str,
    ) -> PortFuture<'a, Result<(), CatalogError>> {
        Box::pin(async move {
            let sql = "INSERT INTO pages (document, page, state, reason) \
                       VALUES ((SELECT key FROM documents WHERE id = ?1), ?2, 'failed', ?3) \
                       ON CONFLICT (document, page) DO UPDATE SET state = 'failed', reason = excluded.reason, \
                       words = 0, needs_ocr = 0, layout = NULL, text = NULL, layout_bytes = 0, image_bytes = 0";
            let query = sqlx::query(sql)
                .bind(id.to_string())
                .bind(page)
                .bind(reason);
            query.execute(&self.pool).await.map(drop).map_err(failed)
        })
    }

    fn finish<'a>(
        &'a self,
        id: &'a DocumentId,
        status: DocumentStatus,
        reason: Option<&'a str>,
    ) -> PortFuture<'a, Result<(), CatalogError>> {
        Box::pin(async move {
            let sql = "UPDATE documents SET status = ?2, reason = ?3 WHERE id = ?1";
            let query = sqlx::query(sql)
                .bind(id.to_string())
                .bind(status.name())
                .bind(reason);
            query.execute(&self.pool).await.map(drop).map_err(failed)
        })
    }

    fn pages<'a>(
        &'a self,
        id: &'a DocumentId,
    ) -> PortFuture<'a, Result<Vec<PageRecord>, CatalogError>> {
        Box::pin(async move {
            let sql = "SELECT page, state, reason, words, layout_bytes, image_bytes FROM pages \
                       WHERE document = (SELECT key FROM documents WHERE id = ?1) ORDER BY page";
            let rows = sqlx::query(sql)
                .bind(id.to_string())
                .fetch_all(&self.pool)
                .await
                .map_err(failed)?;
            rows.iter().map(page).collect()
        })
    }

    fn texts<'a>(
        &'a self,
        id: &'a DocumentId,
    ) -> PortFuture<'a, Result<Vec<(u32, String)>, CatalogError>> {
        Box::pin(async move {
            let sql = "SELECT page, text FROM pages WHERE state = 'completed' \
                       AND document = (SELECT key FROM documents WHERE id = ?1) ORDER BY page";
            let rows = sqlx::query(sql)
                .bind(id.to_string())
                .fetch_all(&self.pool)
                .await
                .map_err(failed)?;
            rows.iter()
                .map(|row| {
                    Ok((
                        row.try_get("page").map_err(failed)?,
                        row.try_get("text").map_err(failed)?,
                    ))
                })
                .collect()
        })
    }

    fn documents(&self) -> PortFuture<'_, Result<Vec<DocumentRecord>, CatalogError>> {
        Box::pin(async move {
            let sql =
                "SELECT id, name, folder, pages, title, status, reason FROM documents ORDER BY key";
            let rows = sqlx::query(sql)
                .fetch_all(&self.pool)
                .await
                .map_err(failed)?;
            let mut records = Vec::with_capacity(rows.len());
            for row in &rows {
                records.push(self.with_pages(document(row)?).await?);
            }
            Ok(records)
        })
    }
}

impl SqliteCatalog {
    async fn with_pages(&self, mut record: DocumentRecord) -> Result<DocumentRecord, CatalogError> {
        let sql = "SELECT page, state, needs_ocr FROM pages WHERE document = (SELECT key FROM documents WHERE id = ?1)";
        let rows = sqlx::query(sql)
            .bind(record.id.to_string())
            .fetch_all(&self.pool)
            .await
            .map_err(failed)?;
        for row in rows {
            let page: u32 = row.try_get("page").map_err(failed)?;
            let needs_ocr: bool = row.try_get("needs_ocr").map_err(failed)?;
            match state(&row)? {
                PageState::Completed => {
                    record.completed.insert(page);
                    if needs_ocr {
                        record.needs_ocr.insert(page);
                    }
                }
                PageState::Failed => {
                    record.failed.insert(page);
                }
                PageState::Stored => {}
            }
        }
        Ok(record)
    }
}

fn document(row: &SqliteRow) -> Result<DocumentRecord, CatalogError> {
    let id: String = row.try_get("id").map_err(failed)?;
    let status: String = row.try_get("status").map_err(failed)?;
    Ok(DocumentRecord {
        id: id.parse().map_err(|error: String| unavailable(&error))?,
        name: row.try_get("name").map_err(failed)?,
        folder: row.try_get("folder").map_err(failed)?,
        pages: row.try_get("pages").map_err(failed)?,
        title: row.try_get("title").map_err(failed)?,
        status: DocumentStatus::named(&status)
            .ok_or_else(|| unavailable(&format!("unknown document status '{status}'")))?,
        reason: row.try_get("reason").map_err(failed)?,
        completed: PageSet::new(),
        failed: PageSet::new(),
        needs_ocr: PageSet::new(),
    })
}

fn page(row: &SqliteRow) -> Result<PageRecord, CatalogError> {
    Ok(PageRecord {
        page: row.try_get("page").map_err(failed)?,
        state: state(row)?,
        reason: row.try_get("reason").map_err(failed)?,
        words: row.try_get("words").map_err(failed)?,
        layout_bytes: unsigned(row.try_get("layout_bytes").map_err(failed)?),
        image_bytes: unsigned(row.try_get("image_bytes").map_err(failed)?),
    })
}

/// SQLite's integers are signed; a file's length never needs the last bit.
fn signed(length: u64) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn unsigned(length: i64) -> u64 {
    u64::try_from(length).unwrap_or_default()
}

fn state(row: &SqliteRow) -> Result<PageState, CatalogError> {
    let name: String = row.try_get("state").map_err(failed)?;
    PageState::named(&name).ok_or_else(|| unavailable(&format!("unknown page state '{name}'")))
}

fn unavailable(reason: &str) -> CatalogError {
    CatalogError::Unavailable {
        reason: reason.to_owned(),
    }
}

/// What SQLite said, and what a person can do about it.
fn failed(error: sqlx::Error) -> CatalogError {
    /// SQLite's own numbers; the extended ones hold these in their last byte.
    const BUSY: u32 = 5;
    const READONLY: u32 = 8;
    const IO: u32 = 10;
    const CORRUPT: u32 = 11;
    const FULL: u32 = 13;
    const CANNOT_OPEN: u32 = 14;
    const NOT_A_DATABASE: u32 = 26;
    let code = error
        .as_database_error()
        .and_then(|error| error.code())
        .unwrap_or_default()
        .parse::<u32>()
        .unwrap_or(0);
    unavailable(&match code & 0xff {
        FULL => "the disk is full; make room or choose another folder with --out, then run the same command again".to_owned(),
        NOT_A_DATABASE | CORRUPT => format!(
            "folio.db is not a database, or is damaged ({error}); move it away, and pages that are there will be done again"
        ),
        BUSY => format!("folio.db is held by another program ({error}); close that and run the same command again"),
        READONLY | CANNOT_OPEN | IO => format!(
            "folio.db cannot be used ({error}); make it, its folder and the disk writable, or choose another folder with --out"
        ),
        _ => format!("folio.db cannot be used ({error}); move it away or choose another folder with --out"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use folio_core::ports::contract;

    #[tokio::test]
    async fn it_keeps_the_contract() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = SqliteCatalog::open(&folder.path().join("folio.db"))
            .await
            .unwrap();
        contract::catalog(&catalog).await;
    }

    #[tokio::test]
    async fn what_was_written_is_there_after_reopening_and_beside_a_reader() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("folio.db");
        let writer = SqliteCatalog::open(&file).await.unwrap();
        contract::catalog(&writer).await;
        let reader = SqliteCatalog::open_read_only(&file).await.unwrap();
        let seen = reader.documents().await.unwrap();
        assert_eq!(seen.len(), 2);
        writer.close().await;
        let again = SqliteCatalog::open(&file).await.unwrap();
        assert_eq!(again.documents().await.unwrap(), seen);
    }

    #[tokio::test]
    async fn a_file_that_is_no_database_is_named_with_the_cure() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("folio.db");
        std::fs::write(
            &file,
            "this is a letter, and it is long enough to be looked at".repeat(40),
        )
        .unwrap();
        let error = SqliteCatalog::open(&file).await.unwrap_err().to_string();
        assert!(
            error.contains("folio.db is not a database") && error.contains("move it away"),
            "{error}"
        );
    }
}
