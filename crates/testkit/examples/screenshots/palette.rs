//! Conversion of PNG files to 256 colours: a third of the size, without a visible difference in
//! screenshots of text.
//!
//! Supports only the format that Chromium writes: eight bits, RGB or RGBA, not interlaced.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

type Colour = [u8; 3];

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Converts an image to a palette; `None` if it is not a PNG of the expected format.
pub(crate) fn with_palette(png: &[u8]) -> Option<Vec<u8>> {
    let (header, pixels) = decode(png)?;
    let mut counts: HashMap<Colour, usize> = HashMap::new();
    for pixel in &pixels {
        *counts.entry(*pixel).or_default() += 1;
    }
    let mut colours: Vec<Colour> = counts.keys().copied().collect();
    colours.sort_by_key(|colour| (std::cmp::Reverse(counts[colour]), *colour));
    let palette = choose(colours);
    let index: HashMap<Colour, u8> = counts
        .keys()
        .map(|colour| (*colour, nearest(&palette, *colour)))
        .collect();
    let width = u32::from_be_bytes(header[..4].try_into().ok()?) as usize;
    let mut rows = Vec::with_capacity(pixels.len() + pixels.len() / width);
    for row in pixels.chunks(width) {
        rows.push(0); // No filter: neighbouring palette indexes are unrelated.
        rows.extend(row.iter().map(|pixel| index[pixel]));
    }
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
    packer.write_all(&rows).ok()?;
    let mut out = SIGNATURE.to_vec();
    let mut header = header;
    header[9] = 3; // Colour type: palette index.
    chunk(&mut out, *b"IHDR", &header);
    chunk(&mut out, *b"PLTE", palette.as_flattened());
    chunk(&mut out, *b"IDAT", &packer.finish().ok()?);
    chunk(&mut out, *b"IEND", &[]);
    Some(out)
}

/// Chooses the most frequent colours, and then those with the largest error: a small logo has few pixels.
fn choose(mut colours: Vec<Colour>) -> Vec<Colour> {
    let mut others = colours.split_off(colours.len().min(192));
    while colours.len() < 256 && !others.is_empty() {
        let loss =
            |colour: &Colour| distance(*colour, colours[usize::from(nearest(&colours, *colour))]);
        let worst = (0..others.len())
            .max_by_key(|at| loss(&others[*at]))
            .unwrap_or(0);
        colours.push(others.swap_remove(worst));
    }
    colours
}

/// Returns the header and the pixels, row by row.
fn decode(png: &[u8]) -> Option<(Vec<u8>, Vec<Colour>)> {
    let mut rest = png.strip_prefix(SIGNATURE)?;
    let (mut header, mut packed) = (Vec::new(), Vec::new());
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = u32::from_be_bytes(*length) as usize;
        let body = after.get(4..4 + length)?;
        match &after[..4] {
            b"IHDR" => body.clone_into(&mut header),
            b"IDAT" => packed.extend_from_slice(body),
            _ => {}
        }
        rest = after.get(8 + length..)?;
    }
    let step = match header.get(8..)? {
        [8, 2, _, _, 0] => 3,
        [8, 6, _, _, 0] => 4,
        _ => return None,
    };
    let width = u32::from_be_bytes(header[..4].try_into().ok()?) as usize;
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed.as_slice())
        .read_to_end(&mut bytes)
        .ok()?;
    let mut above = vec![0; width * step];
    let mut pixels = Vec::new();
    for line in bytes.chunks(1 + width * step) {
        let (filter, line) = line.split_first()?;
        let mut row = vec![0_u8; width * step];
        for at in 0..row.len() {
            let left = at.checked_sub(step).map_or(0, |before| row[before]);
            let corner = at.checked_sub(step).map_or(0, |before| above[before]);
            let guess = match filter {
                0 => 0,
                1 => left,
                2 => above[at],
                3 => u8::midpoint(left, above[at]),
                4 => paeth(left, above[at], corner),
                _ => return None,
            };
            row[at] = line.get(at)?.wrapping_add(guess);
        }
        pixels.extend(row.chunks(step).map(|pixel| [pixel[0], pixel[1], pixel[2]]));
        above = row;
    }
    Some((header, pixels))
}

/// The Paeth predictor (PNG specification, section 9.4).
fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let guess = i16::from(left) + i16::from(above) - i16::from(corner);
    let distance = |of: u8| (guess - i16::from(of)).abs();
    if distance(left) <= distance(above) && distance(left) <= distance(corner) {
        left
    } else if distance(above) <= distance(corner) {
        above
    } else {
        corner
    }
}

fn distance(one: Colour, other: Colour) -> u32 {
    let parts = one.iter().zip(other);
    parts.map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

fn nearest(palette: &[Colour], colour: Colour) -> u8 {
    let best = (0..palette.len()).min_by_key(|at| distance(palette[*at], colour));
    best.and_then(|at| u8::try_from(at).ok()).unwrap_or(0)
}

fn chunk(out: &mut Vec<u8>, kind: [u8; 4], body: &[u8]) {
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    out.extend_from_slice(&length.to_be_bytes());
    let begin = out.len();
    out.extend_from_slice(&kind);
    out.extend_from_slice(body);
    let mut sum = flate2::Crc::new();
    sum.update(&out[begin..]);
    out.extend_from_slice(&sum.sum().to_be_bytes());
}
