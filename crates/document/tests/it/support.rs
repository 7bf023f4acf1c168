//! Makes PDF files.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A file in the making. Objects 1 to 4 are the catalog, the pages, the font and the facts about it.
pub(crate) struct PdfFile {
    objects: Vec<Vec<u8>>,
    pages: Vec<usize>,
    title: String,
    trailer: String,
    is_compressed: bool,
}

/// Data in the usual coding.
pub(crate) fn folded(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// What draws lines of text from the top of a page.
pub(crate) fn lines(lines: &[&str]) -> String {
    let mut content = "BT /F1 12 Tf 14 TL 72 720 Td\n".to_owned();
    for line in lines {
        writeln!(content, "({line}) Tj T*").unwrap();
    }
    content + "ET"
}

impl PdfFile {
    pub(crate) fn new() -> Self {
        Self {
            objects: Vec::new(),
            pages: Vec::new(),
            title: String::new(),
            trailer: String::new(),
            is_compressed: false,
        }
    }

    /// What comes from now on is compressed.
    pub(crate) fn compressed(mut self) -> Self {
        self.is_compressed = true;
        self
    }

    pub(crate) fn title(mut self, title: &str) -> Self {
        self.title = title.to_owned();
        self
    }

    pub(crate) fn trailer(mut self, more: &str) -> Self {
        self.trailer = more.to_owned();
        self
    }

    pub(crate) fn page(self, content: &str) -> Self {
        self.page_with(content, &[])
    }

    /// A page that draws forms, called `X` and their number.
    pub(crate) fn page_with(mut self, content: &str, forms: &[usize]) -> Self {
        let content = self.stream("", content);
        let resources = resources(forms);
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R {resources} >>"
        );
        let page = self.object(page.into_bytes());
        self.pages.push(page);
        self
    }

    /// A page whose content is in these codings.
    pub(crate) fn page_of(mut self, filters: &str, data: &[u8]) -> Self {
        let content = self.data(filters, data);
        let resources = resources(&[]);
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R {resources} >>"
        );
        let page = self.object(page.into_bytes());
        self.pages.push(page);
        self
    }

    /// A form, by its number.
    pub(crate) fn form(&mut self, content: &str, forms: &[usize]) -> usize {
        let resources = resources(forms);
        self.stream(
            &format!("/Type /XObject /Subtype /Form /BBox [0 0 612 792] {resources}"),
            content,
        )
    }

    fn stream(&mut self, entries: &str, content: &str) -> usize {
        if self.is_compressed {
            let entries = format!("{entries} /Filter /FlateDecode");
            self.data(&entries, &folded(content.as_bytes()))
        } else {
            self.data(entries, content.as_bytes())
        }
    }

    fn data(&mut self, entries: &str, data: &[u8]) -> usize {
        let mut object = format!("<< {entries} /Length {} >>\nstream\n", data.len()).into_bytes();
        object.extend(data);
        object.extend(b"\nendstream");
        self.object(object)
    }

    fn object(&mut self, object: Vec<u8>) -> usize {
        self.objects.push(object);
        self.objects.len() + 4
    }

    /// Puts bytes in the place of a page's description, which is counted from 0.
    pub(crate) fn with_page_lost(mut self, page: usize) -> Self {
        let number = self.pages[page];
        self.objects[number - 5] = b"AAAAAAAA".to_vec();
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let kids: String = self
            .pages
            .iter()
            .map(|page| format!("{page} 0 R "))
            .collect();
        let first = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            format!(
                "<< /Type /Pages /Kids [{kids}] /Count {} >>",
                self.pages.len()
            ),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
                .to_owned(),
            format!("<< /Title ({}) >>", self.title),
        ];
        let mut file = b"%PDF-1.7\n".to_vec();
        let mut places = Vec::new();
        let objects = first
            .into_iter()
            .map(String::into_bytes)
            .chain(self.objects.iter().cloned());
        for (index, object) in objects.enumerate() {
            places.push(file.len());
            file.extend(format!("{} 0 obj\n", index + 1).bytes());
            file.extend(object);
            file.extend(b"\nendobj\n");
        }
        let table = file.len();
        let count = places.len() + 1;
        file.extend(format!("xref\n0 {count}\n0000000000 65535 f \n").bytes());
        for place in places {
            file.extend(format!("{place:010} 00000 n \n").bytes());
        }
        let more = &self.trailer;
        file.extend(format!("trailer\n<< /Size {count} /Root 1 0 R /Info 4 0 R {more} >>\nstartxref\n{table}\n%%EOF\n").bytes());
        file
    }
}

fn resources(forms: &[usize]) -> String {
    let forms: String = forms
        .iter()
        .map(|form| format!("/X{form} {form} 0 R "))
        .collect();
    format!("/Resources << /Font << /F1 3 0 R >> /XObject << {forms} >> >>")
}
