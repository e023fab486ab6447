import Formats
import MeshPipeline
import MeshTestSupport
import Testing

struct FormatsDocumentationTests {
  @Test func `the page of all formats is current`() throws {
    try expectGeneratedPage(
      "docs/formats.md",
      holds: """
        # Formats

        <!-- Made from the declarations in Sources/Formats by `make docs`; changes belong there. -->

        The extension of an output's path selects its format, or else `format` with an id. \
        The tables list what a format was verified to keep by writing and reading back. Options go under `with`: \
        `{ "path": "scan.ply", "with": { "ascii": true } }`.

        Blender 4.2 with its default import settings shows glb, gltf, usdz, usdc, usda, fbx and dae upright and at true \
        scale, whatever the scene's axes. Formats that don't specify axes are upright if the scene has the \
        axes listed below: a Y-up scene for OBJ, a Z-up scene for PLY or STL. \
        Put `convert-axes` before such an output, or choose the up axis when importing (in Blender: \
        *Forward Axis* Y and *Up Axis* Z for an OBJ of a Z-up scene; *Forward Axis* -Z and *Up Axis* Y \
        for a PLY or STL of a Y-up scene). meshpipe warns if the axes don't match.

        **What a file does not say** is answered in this order: by an option, by the file, by the specification or the \
        custom of its format, by its numbers, and by an assumption only where none of these speaks. `meshpipe info` and the \
        report of a run list each answer with its source. A run warns once where a stage or an output acts on an \
        assumption that is in doubt, and names the option that settles it; with `--strict` this is an error.

        | Question | Option | Found in the numbers | Assumed otherwise |
        |---|---|---|---|
        | Up axis (OBJ, PLY, STL, OFF, Draco, XYZ, PCD) | `--input-up` | coordinates of a national grid are east, north and height; floors and ceilings by name face up | Y, as phones write it |
        | Unit (the same) | `--input-unit` | an STL that would be smaller than a part in millimetres is in metres | metres |
        | Numbers of classes without names | `--input-classes` | 0 to 7 on the faces of a mesh of a room's size, whose floor lies level, are ARKit's | the numbers themselves, `label-3` |

        Numbers of classes are ARKit's also in a capture and in files that meshpipe wrote. A field `classification` of a \
        point cloud has the codes of the ASPRS, as in LAS. PLY, PCD and XYZ outputs have the same codes and the same numbers \
        without names, which they name in comments; CSV has the numbers alone. A table of your own is a JSON file: \
        `{ "2": "floor", "3": "cabinet" }`.

        **Custom attributes** are those that meshpipe has no meaning for: the `intensity` or `scalar_Distance` \
        of a scan, an `instance`, the properties of a Gaussian splat. They come from PLY (properties with one \
        number of vertices and faces), from glTF (attributes whose names begin with an underscore), from \
        formats of points and from `meshscene`, in their own type; properties `rot_0`, `rot_1` and so on of a PLY file are one attribute \
        `rot`. Stages keep them for the elements that they keep. Where vertices are joined, moved or cut, \
        floating-point values are interpolated and integers chosen. The values themselves are never changed: \
        a direction stays as it is when the scene is turned. glTF has no place for those of faces, and rounds \
        integers of 32 and 64 bits and doubles to floats; meshpipe warns of both. `meshpipe info` names them.

        **Identifiers** of features (`identifier`, `id`, `feature`, `track`) are unsigned integers of 64 bits, exactly, in \
        recorded JSON, text, PCD, LAS and `meshscene`. PLY has none: they are a `double` where all fit into one, otherwise two \
        properties of 32 bits, `identifier_low32` and `identifier_high32`, which reading joins; `uint64` is read, too. `merge-features` \
        makes one point of the samples of each feature.

        **Recorded feature points** are JSON (`.json`, `.jsonl` or any other name): an object for each frame, in a list or on a line of its own, \
        with lists of the same length of identifiers (`identifiers`, `ids`, …) and points (`points`, `positions`, `vertices`), or of objects \
        with `id`, `x`, `y` and `z`. They may be below `frames` or `rawFeaturePoints`. Identifiers above 2⁵³ stay exact, also as text; those that \
        were rounded are refused. Each sample has the number of its frame as `frame`.

        **Several scans** in one PTS or PTX file are one cloud, in which `scan` counts them from 0. Rows of text that lack numbers, as at the \
        end of a file that was cut off, are left out, with a warning that `--strict` turns into an error. Points at exactly 0 0 0 beside a cloud that is \
        elsewhere are where a scanner saw nothing: a warning counts them, and `filter-points` removes them. In PTX, whose format says so, they \
        are left out.

        **Draco** files (`.drc`) hold one mesh or one point cloud, of any version that libdraco reads. Positions, \
        normals, colours (grey or RGB, with or without opacity, in 8 or 16 bits or as floats) and two sets of \
        texture coordinates are read; attributes that Draco has no name for are left out, with a warning. Where a \
        vertex was split at a seam it becomes one again. Inside glTF, Draco is an option of the output.

        **Gaussian splats** are points with the properties `scale_0` to `scale_2` (or `scale_1`, for flat ones), `rot_0` to \
        `rot_3`, `opacity`, `f_dc_0` to `f_dc_2` and, for colours that depend on the direction of view, 9, 24 or 45 \
        of `f_rest_0` and so on, as trainers of splats write them to PLY. meshpipe recognises them by these names; \
        `meshpipe info` says how many there are and of which degree. When the scene is turned, mirrored, scaled or \
        converted to other axes or another unit, their rotations, sizes and colours go along. PLY keeps all properties in \
        their order, so that viewers of splats open the file; in other formats splats become points with their \
        mean colours, with a warning. `.splat`, `.ksplat`, `.spz`, `.sog` and compressed PLY are not read: \
        SuperSplat and `splat-transform` convert them.

        **Colours** belong to vertices, to whole faces (PLY, OFF, colour STL of VisCAM and of Magics), or to materials and \
        their textures. PLY, OFF and `meshscene` keep those of faces; glTF, OBJ and others get vertices that are split \
        where faces of different colours meet, and USD a material for each colour, if there are at most 256. Points take \
        the mean around each vertex. Files say little about the range of colours: whole numbers that are mostly above 255 \
        have 16 bits, and what is out of range is told and limited. LAS keeps all 16 bits through every stage that leaves \
        a point's colour alone. For programs that show colours of vertices or points only, `bake-colors` and \
        `sample-points` take them from textures and materials; for phones, `quicklook` makes a texture of them.

        **Sides**: a scan has no back. OBJ, PLY and OFF can't say from where faces are seen, so that glTF and USD get both \
        sides; files that say otherwise are believed. `"sides": "front"` on such an output hides the backs, as to look into \
        a room from outside, and `"both"` shows them.

        \(FormatCatalogue(builtInFormats).markdown)
        """)
  }
}
