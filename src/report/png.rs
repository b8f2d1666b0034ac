//! Rendering of SVG documents without text to PNG pictures.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Maximum number of pixels of a picture. They take 1 GiB of memory.
const MAX_PIXELS: u64 = 1 << 28;

/// Returns an SVG document as a PNG picture, with one pixel for each unit of length. Memory: 4
/// bytes for each pixel, plus the parsed document.
///
/// # Errors
/// The reason why the document cannot be rendered, in one line.
pub fn render_png(svg: &str) -> Result<Vec<u8>, String> {
    let tree = Tree::from_str(svg, &Options::default()).map_err(|error| error.to_string())?;
    let size = tree.size().to_int_size();
    let (width, height) = (size.width(), size.height());
    let too_large = || format!("the picture would have {width} x {height} pixels; draw a smaller one");
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(too_large());
    }
    let mut pixels = Pixmap::new(width, height).ok_or_else(too_large)?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn render_png_draws_rectangle_and_rejects_huge_picture() {
        let svg = |side: u32| {
            format!(
                r##"<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="4"><rect width="100%" height="100%" fill="#ff0000"/></svg>"##
            )
        };
        let picture = render_png(&svg(8)).unwrap();
        assert!(picture.starts_with(b"\x89PNG"));
        let pixels = Pixmap::decode_png(&picture).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (8, 4));
        assert_eq!(pixels.pixel(7, 3).map(|p| (p.red(), p.green(), p.blue())), Some((255, 0, 0)));
        assert!(render_png(&svg(1 << 27)).unwrap_err().contains("134217728 x 4 pixels"));
        assert!(render_png("<svg").is_err());
    }
}
