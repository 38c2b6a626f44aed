//! What the sample says. Soft hyphens mark where a word may be divided.

pub(super) const OPENING: &[&str] = &[
    "A folio is a book whose sheets were folded once. That is the whole of the word: one fold, two leaves, four pages. \
     Everything else that we hear in it, the weight, the wide margins, the lectern it seems to ask for, follows from \
     how large a sheet of hand-made paper was, and how little anybody wanted to fold it.",
    "The sheet began as rags. They were sorted, left to rot a little, beaten in water until no thread was left, and \
     lifted out of the vat on a mould of brass wire. The wires left their lines in the paper, and a bent wire left a \
     mark, so that three centuries later a leaf held against a window still tells which mill it came from.",
    "Beside the vat stood the type: some hundred thousand slips of lead, each with one letter on its end, cast one at \
     a time and used until the serifs were gone. No shop owned enough of it to set a whole book. So a few pages were \
     set, printed, taken apart, and their letters dropped back into the case to become the next few pages. A letter \
     with a nick in it can be followed through a volume like a coin through a town.",
    "This booklet has twelve pages. Three sheets, each folded once and laid inside one another, make a quire of \
     twelve, and many large books were built of nothing else. It is set in one type, and it was made by a program \
     that gives the same pages every time it runs, which no compositor ever did.",
];

pub(super) const COLUMNS: &[&str] = &[
    "Nobody set a folio from the first page to the last. The innermost sheet of a quire holds its two middle pages \
     side by side, and they could be printed as soon as they were set. Begin\u{ad}ning there freed the type \
     soon\u{ad}est, and type was what ran short.",
    "To begin in the middle, one must know where the middle falls. So the copy was cast off: some\u{ad}one counted \
     words and lines in the manu\u{ad}script and marked where each printed page would start. If the count was \
     wrong, the pages set later had to make up for it.",
    "The signs are easy to find. Where too much room was left, the com\u{ad}posi\u{ad}tor spread it about: white \
     lines around a head\u{ad}ing, verse where there was prose. Where too little was left, he crowded. Words lost \
     letters, speeches ran on, and now and then a line simply went missing.",
    "Two men stood at the press. One inked the type with a pair of leather balls, the other laid the paper, slid the \
     bed under the platen and pulled the bar. A good pair made some two hun\u{ad}dred and fifty impres\u{ad}sions in \
     an hour, one side of one sheet at each pull.",
    "Proofs were read while the press was working. When the reader found an error, the press stopped, the type was \
     cor\u{ad}rected, and work went on; but the sheets already printed were kept. Paper was the largest cost of \
     all, and no\u{ad}body threw it away for the sake of a letter.",
    "That is why no two copies need be alike. A sheet with the error lies in one copy beside a sheet without it in \
     the next, and which copies share which states is a matter of how the heaps were gathered. An edition is not \
     one text but a cloud of them.",
    "The reader of a file has the opposite trouble. Every copy is the same, and still each program that opens it \
     finds other words in it, in another order. Columns are only white space, and white space is not written down.",
];

pub(super) const TABLE_NOTE: &str = "The two pages of one forme were locked up and printed together. Reading the table \
    from the bottom upwards gives the order in which a shop would have set them: six and seven first, the first page \
    and the last at the very end.";

/// Sheet, forme, left page, right page, hours at the case, sheets wasted.
pub(super) const FORMES: &[[&str; 6]] = &[
    ["1", "outer", "12", "1", "21.50", "9"],
    ["1", "inner", "2", "11", "20.75", "7"],
    ["2", "outer", "10", "3", "22.25", "12"],
    ["2", "inner", "4", "9", "19.00", "6"],
    ["3", "outer", "8", "5", "23.50", "11"],
    ["3", "inner", "6", "7", "18.25", "14"],
];

pub(super) const CAPTION: &str = "Plate I. A picture that no press of 1623 could have printed: every point was moved \
    by the same small rule, again and again, and coloured by how near to the centre it ever came.";

pub(super) const PICTURE_NOTE: &str = "Pictures came late to the common page. A woodcut stands as high as type and can \
    be locked up beside it; an engraving holds its ink below the surface and needs a press of its own, with rollers. So \
    the portrait in front of a large book was often the one leaf that another shop had made, and the one leaf that was \
    missing when the book was sold.";

pub(super) const TURNED: &[&str] = &[
    "Some pages lie on their side. A wide table would not fit the upright leaf, so it was set across it, and the \
     reader turned the book. In a file the same is done with one number that tells the viewer to turn the page by a \
     quarter, and every coordinate on it then means something else than it seems to.",
    "If the boxes that a program reports for this page lie on its words, the program has understood the number. If \
     they lie in a row down the margin, it has not.",
];

/// Name of a step, who did it, with what, how long it took.
pub(super) const STEPS: &[[&str; 4]] = &[
    [
        "Casting off",
        "master",
        "pen and copy",
        "two days for a quire",
    ],
    [
        "Setting",
        "compositor",
        "stick and case",
        "most of a day for a page",
    ],
    [
        "Imposing",
        "compositor",
        "stone, chase, quoins",
        "an hour for a forme",
    ],
    [
        "Proofing",
        "corrector",
        "a boy to read aloud",
        "while the press waits",
    ],
    [
        "Printing",
        "two pressmen",
        "balls, frisket, bar",
        "a day for a forme",
    ],
    [
        "Drying",
        "everyone",
        "lines under the roof",
        "until the weather turns",
    ],
    [
        "Gathering",
        "apprentice",
        "a long table",
        "a walk for each copy",
    ],
];

pub(super) const TRIMMED: &[&str] = &[
    "A book was sold in sheets, and the buyer had it bound. The binder beat the leaves flat, sewed them, and then \
     took the plough to the edges. How much he cut was a matter of taste, and of how much the shavings were worth to \
     him: waste paper had its price.",
    "Each time a book was bound again the margins shrank. In the worst copies the headlines are gone and the notes at \
     the side have lost their last letters. The tallest copy of an edition is worth a fortune more than its \
     neighbour for half an inch of nothing.",
    "A file can be trimmed too. This page is larger than what you see of it: a second box inside the sheet says \
     where the knife went, and neither box begins at zero. The marks for the binder are still there, outside.",
];

pub(super) const FORM_NOTE: &str = "Whoever ordered a copy left a name, chose a binding, and perhaps paid for the \
    portrait. The answers below are not part of the page: they are fields of a form, drawn over it when it is shown. \
    One of them brings its own drawing along, the other leaves the drawing to the reader.";

pub(super) const GREEK: &[&str] = &[
    "Ὁ τυπογράφος στοιχειοθετεῖ τὰ γράμματα ἓν πρὸς ἕν, καὶ τὸ βιβλίον γίγνεται κατὰ μικρόν. Πᾶσα σελὶς ἔχει τὴν \
     ἰδίαν τάξιν, καὶ οὐδεμία ὁμοία τῇ ἑτέρᾳ.",
    "Το χαρτί, το μελάνι και το μολύβι: τρία πράγματα χρειάζεται ο τυπογράφος. Το τέταρτο είναι η υπομονή, και αυτή \
     δεν αγοράζεται πουθενά.",
];

pub(super) const ACCENTED: &[(&str, &str)] = &[
    (
        "French",
        "L’épreuve relève l’erreur ; à l’œuvre, çà et là, un caractère usé s’écrase, et le maître grogne.",
    ),
    (
        "German",
        "Über schöne Größe läßt sich streiten: Für Fußnoten genügt ein müder, höchstens zwölf Jahre alter Kegel.",
    ),
    (
        "Spanish",
        "El cajista sueña con eñes: año, niño, caña. ¿Quién las contó? ¡Nadie! Así, página tras página.",
    ),
    (
        "Polish",
        "Zecer wziął czcionkę, źle ją ułożył, a żółta świeca zgasła; książka czekała do świtu.",
    ),
    (
        "Czech",
        "Příliš malý řádek, příliš velké písmeno: sazeč přemýšlel, kůň řehtal, účet zůstal nezaplacený.",
    ),
    (
        "Turkish",
        "Mürekkep kurudu, kâğıt büküldü; çırağın işi güçtü, ışığı da gün doğmadan söndü.",
    ),
    (
        "Icelandic",
        "Þetta er bók sem enginn þekkir; síðan ég sá hana fyrst hefur hún týnst í ösku og gleymsku.",
    ),
];

pub(super) const SMALL: &[&str] = &[
    "Small type was cast for what had to be there and was not meant to be enjoyed: notes, errata, the terms of sale. The \
     punches were harder to cut, the matrices harder to fill, and the letters broke sooner. A shop that owned a good \
     small fount lent it out like a horse.",
    "The buyer takes the sheets as they are. Leaves that are stained, torn, or wanting are made good within the month if \
     the printer has them, and not otherwise. The printer answers for the order of the signatures, not for the order \
     of the binder. What has been folded counts as accepted. What has been ploughed cannot be returned.",
    "Faults escaped: on the second page, for wire read wine, which is better; in the table, for nine read seven, the \
     other two having been found behind the press; in the motto, for patience read haste. The reader is asked to mend \
     with his pen what else he finds, and to think of the hour at which it was set.",
    "At six points a letter is about as tall as a grain of salt. On a screen at a hundred and fifty dots to the inch \
     the stroke of an i is one dot wide, and whether it is grey or black depends on where it fell. A program that finds \
     these words finds all others.",
];

pub(super) const SCANNED: &[&str] = &[
    "This leaf was lost, and found again",
    "by somebody who owned a camera. It is",
    "a picture of a page and has no letters",
    "in it, only darker and lighter spots.",
    "",
    "A reader sees words here. A program",
    "sees none until it has been taught to",
    "read, and it ought to say so, rather",
    "than to report an empty page.",
    "",
    "The sheet lay a little askew on the",
    "glass, as they all do.",
];

pub(super) const LIST_INTRO: &str = "A forme could be spoiled in more ways than one man could watch for. The corrector’s \
    list, as an apprentice may have learnt it:";

pub(super) const FAULTS: &[&str] = &[
    "Letters turned upside down. An n for a u is hard to see in lead, where everything is reversed to begin with.",
    "Letters from the wrong box, because somebody in a hurry dropped them there when the last page was taken apart.\u{b9}",
    "Pages in the wrong place on the stone, which shows only after folding.",
    "A headline that still belongs to the play before.\u{b2}",
    "A loose quoin, and half a line on the floor.",
];

pub(super) const TOOLS: &[&str] = &[
    "the stick, which holds a few lines in the hand;",
    "the galley, which holds a page on the table;",
    "the chase, which holds the pages in the press;",
    "the bodkin, for pulling out what should not have gone in.",
];

pub(super) const FOOTNOTES: &[(&str, &str)] = &[
    (
        "1",
        "Called foul case. The cure was an hour of sorting, and so it was put off until the evening, and then until Monday.",
    ),
    (
        "2",
        "Headlines stood in the chase from one forme to the next, together with the rules around the page; only the text was changed. \
           Their dents and bends show which pages followed one another.",
    ),
];

pub(super) const COLOUR_NOTE: &str = "Black and red were the printer’s colours, and red cost a second pull. A screen mixes \
    its colours from light and a press from ink; the squares below are given in the one and in the other way. The \
    curves are there because they are hard to draw with type.";
