//! Small hostile files: each is made to break one assumption of a program that reads PDFs.
//!
//! Tests call [`all`] or one function by name; `cargo xtask bombs FOLDER` writes them for trying by hand. They are
//! assembled byte by byte, since a library that writes PDFs would refuse to write these. None needs more than a few
//! kilobytes, and none of them can do harm beyond the process that reads it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use md5::{Digest, Md5};

use crate::pdf::deflated;

/// The password that opens [`locked`].
pub const PASSWORD: &str = "quoin";

/// One hostile file.
#[derive(Clone, Debug)]
pub struct Bomb {
    /// Its name, without a folder.
    pub name: &'static str,
    /// What it tries, in half a sentence.
    pub aim: &'static str,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// `cargo xtask bombs FOLDER`.
///
/// # Errors
/// When the argument is not one folder, or a file cannot be written.
pub fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let [folder] = arguments else {
        return Err("takes the folder to write to: cargo xtask bombs target/bombs".to_owned());
    };
    let folder = Path::new(folder);
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    for bomb in all() {
        let path = folder.join(bomb.name);
        std::fs::write(&path, &bomb.bytes)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        println!(
            "{:<24} {:>7} bytes  {}",
            bomb.name,
            bomb.bytes.len(),
            bomb.aim
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Every hostile file.
#[must_use]
pub fn all() -> Vec<Bomb> {
    let bomb = |name, aim, bytes| Bomb { name, aim, bytes };
    vec![
        bomb(
            "huge-page.pdf",
            "a page 2,147,483,648 points high: over every pixel cap",
            huge_page(),
        ),
        bomb(
            "huge-image.pdf",
            "an image of 30,000 x 30,000 pixels in a few hundred bytes",
            huge_image(),
        ),
        bomb(
            "page-count.pdf",
            "claims 2,000,000,000 pages and has one",
            page_count(),
        ),
        bomb(
            "second-page-missing.pdf",
            "page 2 of 3 cannot be loaded",
            second_page_missing(),
        ),
        bomb(
            "circular-outline.pdf",
            "a table of contents whose entries follow one another for ever",
            circular_outline(),
        ),
        bomb(
            "circular-form.pdf",
            "a drawing that draws itself",
            circular_form(),
        ),
        bomb(
            "slow-page.pdf",
            "page 1 of 2 takes far longer to draw than a page should",
            slow_page(),
        ),
        bomb(
            "control-characters.pdf",
            "text with NUL, half a surrogate pair and a noncharacter",
            control_characters(),
        ),
        bomb("locked.pdf", "opens with the password \"quoin\"", locked()),
        bomb("no-pages.pdf", "is sound, and has no page", no_pages()),
        bomb(
            "cut-short.pdf",
            "ends in the middle of its first page",
            cut_short(),
        ),
        bomb("web-page.pdf", "is HTML under a false name", web_page()),
        bomb("empty.pdf", "has no byte", Vec::new()),
    ]
}

/// A page that is 595 points wide and 2,147,483,648 high.
#[must_use]
pub fn huge_page() -> Vec<u8> {
    one_page("/MediaBox [0 0 595 2147483648]", "")
}

/// A page with an image of 30,000 x 30,000 one-bit pixels: 112 MB unpacked, and packed twice.
#[must_use]
pub fn huge_image() -> Vec<u8> {
    const SIDE: usize = 30_000;
    let packed = deflated(&deflated(&vec![0_u8; SIDE * SIDE / 8]));
    let mut image = format!(
        "<< /Type /XObject /Subtype /Image /Width {SIDE} /Height {SIDE} /ColorSpace /DeviceGray /BitsPerComponent 1 \
         /Filter [/FlateDecode /FlateDecode] /Length {} >>\nstream\n",
        packed.len()
    )
    .into_bytes();
    image.extend(packed);
    image.extend(b"\nendstream");
    let mut objects =
        tree(&["/MediaBox [0 0 595 842] /Resources << /XObject << /I 5 0 R >> >> /Contents 4 0 R"]);
    objects.push(stream("", "q 500 0 0 500 40 200 cm /I Do Q"));
    objects.push(image);
    assembled(&objects, "")
}

/// One page, and a page tree that claims 2,000,000,000.
#[must_use]
pub fn page_count() -> Vec<u8> {
    let mut objects = tree(&["/MediaBox [0 0 595 842]"]);
    objects[1] = b"<< /Type /Pages /Kids [3 0 R] /Count 2000000000 >>".to_vec();
    assembled(&objects, "")
}

/// Three pages, of which the second is not in the file.
#[must_use]
pub fn second_page_missing() -> Vec<u8> {
    let mut objects = tree(&["/MediaBox [0 0 595 842]", "/MediaBox [0 0 595 842]"]);
    objects[1] = b"<< /Type /Pages /Kids [3 0 R 99 0 R 4 0 R] /Count 3 >>".to_vec();
    assembled(&objects, "")
}

/// Two entries in the table of contents, each the next of the other and the child of itself.
#[must_use]
pub fn circular_outline() -> Vec<u8> {
    let mut objects = tree(&["/MediaBox [0 0 595 842]"]);
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>".to_vec();
    objects.push(b"<< /Type /Outlines /First 5 0 R /Last 6 0 R /Count 2 >>".to_vec());
    objects.push(
        b"<< /Title (One) /Parent 4 0 R /Next 6 0 R /First 5 0 R /Last 5 0 R /Count 1 >>".to_vec(),
    );
    objects.push(
        b"<< /Title (Two) /Parent 4 0 R /Next 5 0 R /First 6 0 R /Last 6 0 R /Count 1 >>".to_vec(),
    );
    assembled(&objects, "")
}

/// A page that shows a form XObject whose content shows that same object.
#[must_use]
pub fn circular_form() -> Vec<u8> {
    let mut objects =
        tree(&["/MediaBox [0 0 595 842] /Resources << /XObject << /X 5 0 R >> >> /Contents 4 0 R"]);
    objects.push(stream("", "/X Do"));
    objects.push(stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /X 5 0 R >> >>",
        "10 10 100 100 re f /X Do",
    ));
    assembled(&objects, "")
}

/// Two pages: the first strokes the same dashed curves many thousand times over, the second is empty.
#[must_use]
pub fn slow_page() -> Vec<u8> {
    const STROKES: usize = 20_000;
    let curve = "20 20 m 900 800 -300 800 575 20 c S 20 820 m 900 40 -300 40 575 820 c S\n";
    let content = format!("[1 1.3] 0 d 1.7 w\n{}", curve.repeat(STROKES / 2));
    let packed = deflated(content.as_bytes());
    let mut drawing = format!(
        "<< /Filter /FlateDecode /Length {} >>\nstream\n",
        packed.len()
    )
    .into_bytes();
    drawing.extend(packed);
    drawing.extend(b"\nendstream");
    let mut objects = tree(&[
        "/MediaBox [0 0 595 842] /Contents 5 0 R",
        "/MediaBox [0 0 595 842]",
    ]);
    objects.push(drawing);
    assembled(&objects, "")
}

/// A line of text whose font maps letters to U+0000, U+0007, U+D800, U+FFFE, and `B` and `E` to themselves: `BE` with
/// trouble in the middle.
#[must_use]
pub fn control_characters() -> Vec<u8> {
    let map = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Trouble def /CMapType 2 def\n\
               1 begincodespacerange <00> <ff> endcodespacerange\n\
               6 beginbfchar <42> <0042> <61> <0000> <62> <0007> <63> <D800> <64> <FFFE> <45> <0045> endbfchar\n\
               endcmap end end";
    let mut objects =
        tree(&["/MediaBox [0 0 595 842] /Resources << /Font << /F 5 0 R >> >> /Contents 4 0 R"]);
    objects.push(stream("", "BT /F 24 Tf 72 700 Td (BabcdE) Tj ET"));
    objects.push(
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 6 0 R >>".to_vec(),
    );
    objects.push(stream("", map));
    assembled(&objects, "")
}

/// A page behind the user password [`PASSWORD`]; the standard security handler, revision 2, 40-bit RC4.
///
/// Algorithms 2 to 4 of PDF 1.7, section 7.6.3. The page has no stream and no string, so nothing is left to encrypt.
#[must_use]
pub fn locked() -> Vec<u8> {
    const PERMISSIONS: i32 = -4;
    const IDENTIFIER: [u8; 16] = *b"folio sample bom";
    let user = padded(PASSWORD.as_bytes());
    let owner_key = &Md5::digest(padded(b"chase"))[..5];
    let owner_entry = rc4(owner_key, &user);

    let mut digest = Md5::new();
    digest.update(user);
    digest.update(&owner_entry);
    digest.update(PERMISSIONS.to_le_bytes());
    digest.update(IDENTIFIER);
    let user_entry = rc4(&digest.finalize()[..5], &PADDING);

    let mut objects = tree(&["/MediaBox [0 0 595 842]"]);
    objects.push(
        format!(
            "<< /Filter /Standard /V 1 /R 2 /O <{}> /U <{}> /P {PERMISSIONS} >>",
            hexadecimal(&owner_entry),
            hexadecimal(&user_entry)
        )
        .into_bytes(),
    );
    let identifier = hexadecimal(&IDENTIFIER);
    assembled(
        &objects,
        &format!("/Encrypt 4 0 R /ID [<{identifier}> <{identifier}>]"),
    )
}

/// A sound document with an empty page tree.
#[must_use]
pub fn no_pages() -> Vec<u8> {
    assembled(&tree(&[]), "")
}

/// A document whose download stopped in the middle of its page.
#[must_use]
pub fn cut_short() -> Vec<u8> {
    let whole = one_page("/MediaBox [0 0 595 842]", "");
    let page = whole
        .windows(9)
        .position(|window| window == b"/MediaBox")
        .expect("the page has a media box");
    whole[..page].to_vec()
}

/// The page that a server sends in place of the file it no longer has.
#[must_use]
pub fn web_page() -> Vec<u8> {
    b"<!DOCTYPE html>\n<html><head><title>Not found</title></head>\n<body><p>The file has moved.</p></body></html>\n"
        .to_vec()
}

fn one_page(page: &str, trailer: &str) -> Vec<u8> {
    assembled(&tree(&[page]), trailer)
}

/// The catalog as object 1, the page tree as 2, and each of `pages` from 3 on.
fn tree(pages: &[&str]) -> Vec<Vec<u8>> {
    let kids: Vec<String> = (0..pages.len())
        .map(|page| format!("{} 0 R", page + 3))
        .collect();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!(
            "<< /Type /Pages /Kids [{}] /Count {} >>",
            kids.join(" "),
            pages.len()
        )
        .into_bytes(),
    ];
    objects.extend(
        pages
            .iter()
            .map(|page| format!("<< /Type /Page /Parent 2 0 R {page} >>").into_bytes()),
    );
    objects
}

fn stream(dictionary: &str, content: &str) -> Vec<u8> {
    format!(
        "<< {dictionary} /Length {} >>\nstream\n{content}\nendstream",
        content.len()
    )
    .into_bytes()
}

/// A file of `objects`, numbered from 1, the first of them the catalog; `trailer` is added to the trailer's entries.
fn assembled(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (index, object) in objects.iter().enumerate() {
        let _ = writeln!(table, "{:010} 00000 n ", file.len());
        file.extend(format!("{} 0 obj\n", index + 1).into_bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    file.extend(table.into_bytes());
    let size = objects.len() + 1;
    file.extend(
        format!("trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n")
            .into_bytes(),
    );
    file
}

/// What fills a short password up to 32 bytes: PDF 1.7, algorithm 2, step a.
const PADDING: [u8; 32] = [
    0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08,
    0x2e, 0x2e, 0x00, 0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a,
];

fn padded(password: &[u8]) -> [u8; 32] {
    let mut padded = [0; 32];
    let all = password.iter().chain(&PADDING);
    padded
        .iter_mut()
        .zip(all)
        .for_each(|(place, byte)| *place = *byte);
    padded
}

/// The RC4 cipher; broken, and what the old security handler uses.
fn rc4(key: &[u8], data: &[u8]) -> Vec<u8> {
    let mut state: [u8; 256] = std::array::from_fn(|index| index as u8);
    let mut other = 0_u8;
    for index in 0..256 {
        other = other
            .wrapping_add(state[index])
            .wrapping_add(key[index % key.len()]);
        state.swap(index, usize::from(other));
    }
    let (mut index, mut other) = (0_u8, 0_u8);
    let mut encrypted = Vec::with_capacity(data.len());
    for byte in data {
        index = index.wrapping_add(1);
        other = other.wrapping_add(state[usize::from(index)]);
        state.swap(usize::from(index), usize::from(other));
        let key_byte =
            state[usize::from(state[usize::from(index)].wrapping_add(state[usize::from(other)]))];
        encrypted.push(byte ^ key_byte);
    }
    encrypted
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bomb_is_small_and_has_a_name_of_its_own() {
        let mut names = std::collections::BTreeSet::new();
        for bomb in all() {
            assert!(
                bomb.bytes.len() < 50_000,
                "{} has {} bytes",
                bomb.name,
                bomb.bytes.len()
            );
            assert!(names.insert(bomb.name), "{} is there twice", bomb.name);
        }
    }

    #[test]
    fn the_cross_reference_points_at_the_objects() {
        let file = no_pages();
        let text = String::from_utf8_lossy(&file).replace('\u{fffd}', "?");
        let start: usize = text
            .lines()
            .rev()
            .nth(1)
            .and_then(|line| line.parse().ok())
            .expect("startxref has a number");
        assert!(file[start..].starts_with(b"xref\n0 3\n"));
        let first = &file[start + 9 + 20..][..10];
        let first: usize = std::str::from_utf8(first).unwrap().parse().unwrap();
        assert!(file[first..].starts_with(b"1 0 obj\n"));
    }

    #[test]
    fn the_cipher_gives_the_published_answer() {
        assert_eq!(
            hexadecimal(&rc4(b"Key", b"Plaintext")),
            "bbf316e8d940af0ad3"
        );
    }
}
