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

        The format of an output follows from the extension of its path, or from `format` with an id. \
        What a format keeps was found by writing and reading back. Options stand under `with`: \
        `{ "path": "scan.ply", "with": { "ascii": true } }`.

        Blender 4.2, with its default import settings, shows glb, gltf, fbx and dae upright and at \
        their size whatever the scene's axes are. The formats that say nothing about axes are upright \
        when the scene is as the list below says: a Y-up scene as OBJ, a Z-up scene as PLY or STL. \
        Put `convert-axes` before such an output, or choose the up axis when importing (in Blender: \
        *Forward Axis* Y and *Up Axis* Z for an OBJ of a Z-up scene; *Forward Axis* -Z and *Up Axis* Y \
        for a PLY or STL of a Y-up scene). meshpipe warns when the two don't agree.

        \(FormatCatalogue(builtInFormats).markdown)
        """)
  }
}
