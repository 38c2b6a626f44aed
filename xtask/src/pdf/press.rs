//! The binding: sheets, pictures and typefaces become one file.

use pdf_writer::{Chunk, Filter, Finish, Name, Pdf, Ref, TextStr};

use super::{Picture, Sheet, TypeCase, deflated};

/// A document that is being made.
#[derive(Debug)]
pub struct Press {
    /// The typefaces that every sheet uses.
    pub case: TypeCase,
    chunk: Chunk,
    next: Ref,
    catalog: Ref,
    page_tree: Ref,
    resources: Ref,
    pictures: Vec<(String, Ref)>,
    pages: Vec<(Ref, Option<&'static str>)>,
    fields: Vec<Ref>,
}

impl Default for Press {
    fn default() -> Self {
        let mut next = Ref::new(1);
        let [catalog, page_tree, resources] = std::array::from_fn(|_| next.bump());
        Self {
            case: TypeCase::default(),
            chunk: Chunk::new(),
            next,
            catalog,
            page_tree,
            resources,
            pictures: Vec::new(),
            pages: Vec::new(),
            fields: Vec::new(),
        }
    }
}

impl Press {
    /// A fresh object number.
    pub fn number(&mut self) -> Ref {
        self.next.bump()
    }

    /// The objects written so far, for kinds that have no method here.
    pub fn chunk(&mut self) -> &mut Chunk {
        &mut self.chunk
    }

    /// The one dictionary of fonts and pictures that all pages share.
    #[must_use]
    pub fn resources(&self) -> Ref {
        self.resources
    }

    /// Stores `picture` once; sheets place it by `name`.
    pub fn add_picture(&mut self, name: &str, picture: &Picture) {
        let id = self.number();
        picture.write(&mut self.chunk, id);
        self.pictures.push((name.to_owned(), id));
    }

    /// Makes `field` one of the document's form fields.
    pub fn add_field(&mut self, field: Ref) {
        self.fields.push(field);
    }

    /// Binds `sheet` as the next page.
    pub fn add_sheet(&mut self, sheet: Sheet) {
        let [page, content] = std::array::from_fn(|_| self.number());
        let packed = deflated(&sheet.content.finish());
        self.chunk
            .stream(content, &packed)
            .filter(Filter::FlateDecode);
        let mut dictionary = self.chunk.page(page);
        dictionary
            .parent(self.page_tree)
            .media_box(sheet.media)
            .contents(content);
        dictionary.pair(Name(b"Resources"), self.resources);
        if let Some(crop) = sheet.crop {
            dictionary.crop_box(crop);
        }
        if sheet.turn != 0 {
            dictionary.rotate(sheet.turn);
        }
        if !sheet.annotations.is_empty() {
            dictionary.annotations(sheet.annotations);
        }
        dictionary.finish();
        self.pages.push((page, sheet.title));
    }

    /// The finished file.
    #[must_use]
    pub fn finish(mut self, title: &str, author: &str) -> Vec<u8> {
        let [roman, italic, outline, info] = std::array::from_fn(|_| self.next.bump());
        self.case
            .write(&mut self.chunk, roman, italic, &mut self.next);
        self.write_resources(roman, italic);
        let has_outline = self.write_outline(outline);

        let mut pdf = Pdf::new();
        pdf.set_version(1, 7);
        let mut catalog = pdf.catalog(self.catalog);
        catalog.pages(self.page_tree).lang(TextStr("en"));
        if has_outline {
            catalog.outlines(outline);
        }
        if !self.fields.is_empty() {
            let mut form = catalog.form();
            form.fields(self.fields.iter().copied())
                .default_appearance(pdf_writer::Str(b"/Helv 11 Tf 0 g"));
            form.pair(Name(b"NeedAppearances"), false);
            let mut defaults = form.default_resources();
            let mut fonts = defaults.fonts();
            let mut helvetica = fonts.insert(Name(b"Helv")).dict();
            helvetica
                .pair(Name(b"Type"), Name(b"Font"))
                .pair(Name(b"Subtype"), Name(b"Type1"));
            helvetica
                .pair(Name(b"BaseFont"), Name(b"Helvetica"))
                .pair(Name(b"Encoding"), Name(b"WinAnsiEncoding"));
        }
        catalog.finish();
        let mut pages = pdf.pages(self.page_tree);
        pages
            .kids(self.pages.iter().map(|(page, _)| *page))
            .count(i32::try_from(self.pages.len()).expect("pages fit in 31 bits"));
        pages.finish();
        pdf.document_info(info)
            .title(TextStr(title))
            .author(TextStr(author))
            .producer(TextStr("folio xtask"));
        pdf.extend(&self.chunk);
        pdf.finish()
    }

    fn write_resources(&mut self, roman: Ref, italic: Ref) {
        let mut resources = self
            .chunk
            .indirect(self.resources)
            .start::<pdf_writer::writers::Resources<'_>>();
        let mut fonts = resources.fonts();
        fonts.pair(TypeCase::resource(super::Face::Roman), roman);
        fonts.pair(TypeCase::resource(super::Face::Italic), italic);
        fonts.finish();
        let mut pictures = resources.x_objects();
        for (name, id) in &self.pictures {
            pictures.pair(Name(name.as_bytes()), *id);
        }
    }

    /// A flat table of contents over the pages that have a title; false when none has.
    fn write_outline(&mut self, id: Ref) -> bool {
        let titled: Vec<_> = self
            .pages
            .iter()
            .filter_map(|(page, title)| title.map(|title| (*page, title)))
            .collect();
        let items: Vec<Ref> = titled.iter().map(|_| self.next.bump()).collect();
        let (Some(first), Some(last)) = (items.first(), items.last()) else {
            return false;
        };
        let count = i32::try_from(items.len()).expect("pages fit in 31 bits");
        self.chunk
            .outline(id)
            .first(*first)
            .last(*last)
            .count(count);
        for (index, (page, title)) in titled.iter().enumerate() {
            let mut item = self.chunk.outline_item(items[index]);
            item.title(TextStr(title)).parent(id);
            if let Some(before) = index.checked_sub(1) {
                item.prev(items[before]);
            }
            if let Some(after) = items.get(index + 1) {
                item.next(*after);
            }
            item.dest().page(*page).fit();
        }
        true
    }
}
