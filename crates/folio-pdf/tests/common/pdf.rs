//! Writes small PDFs, object by object, with a correct cross-reference table.

/// The objects of a document under construction. Numbers are given out in order, from 1.
pub struct PdfBuilder {
    objects: Vec<Vec<u8>>,
    trailer: String,
}

impl PdfBuilder {
    /// A document whose catalog is object 1 and whose page tree is object 2.
    pub fn new() -> PdfBuilder {
        PdfBuilder {
            objects: vec![Vec::new(), Vec::new()],
            trailer: String::new(),
        }
    }

    /// Adds an object and gives its number.
    pub fn object(&mut self, body: impl Into<Vec<u8>>) -> usize {
        self.objects.push(body.into());
        self.objects.len()
    }

    /// Adds a stream with these extra entries in its dictionary.
    pub fn stream(&mut self, entries: &str, content: impl AsRef<[u8]>) -> usize {
        let content = content.as_ref();
        let mut body = format!("<< {entries} /Length {} >>\nstream\n", content.len()).into_bytes();
        body.extend_from_slice(content);
        body.extend_from_slice(b"\nendstream");
        self.object(body)
    }

    /// Adds entries to the trailer.
    pub fn trailer(&mut self, entries: &str) {
        self.trailer.push_str(entries);
    }

    /// Writes the document with these pages and extra entries in its catalog.
    pub fn finish(mut self, pages: &[usize], catalog: &str) -> Vec<u8> {
        let kids: String = pages.iter().map(|page| format!("{page} 0 R ")).collect();
        self.objects[0] = format!("<< /Type /Catalog /Pages 2 0 R {catalog} >>").into();
        self.objects[1] =
            format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len()).into();
        let mut file = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", self.objects.len() + 1);
        for (number, body) in (1..).zip(&self.objects) {
            table.push_str(&format!("{:010} 00000 n \n", file.len()));
            file.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
            file.extend_from_slice(body);
            file.extend_from_slice(b"\nendobj\n");
        }
        let start = file.len();
        let size = self.objects.len() + 1;
        file.extend_from_slice(table.as_bytes());
        let trailer = format!(
            "trailer\n<< /Size {size} /Root 1 0 R {} >>\nstartxref\n{start}\n%%EOF\n",
            self.trailer
        );
        file.extend_from_slice(trailer.as_bytes());
        file
    }
}

/// A font that every reader has.
pub const HELVETICA: &str =
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

/// A document of one page with this content, these entries in the page (boxes, rotation) and Helvetica as `/F`.
pub fn one_page(page: &str, content: &str) -> Vec<u8> {
    let mut pdf = PdfBuilder::new();
    let content = pdf.stream("", content);
    let page = page_object(&mut pdf, page, "", content);
    pdf.finish(&[page], "")
}

/// Adds a page with Helvetica as `/F` and further resources.
pub fn page_object(pdf: &mut PdfBuilder, entries: &str, resources: &str, content: usize) -> usize {
    pdf.object(format!(
        "<< /Type /Page /Parent 2 0 R {entries} /Contents {content} 0 R \
         /Resources << /Font << /F {HELVETICA} >> {resources} >> >>"
    ))
}
