import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// Damaged files of which Assimp makes a scene without a word.
struct AssimpDamageTests {
  init() { AssimpWorker.executable = Program.meshpipe }

  private func fault(_ name: String, _ contents: String) throws -> String {
    let folder = try TemporaryFolder()
    let path = try folder.write(name, contents)
    let reader = try #require(FormatRegistry(builtInFormats).reader(forPath: path))
    do {
      _ = try reader.read(path, in: ReadingContext())
      return "no error"
    } catch let error as any UserError {
      #expect(error.exitCode == .data)
      return error.message.replacing(folder.path + "/", with: "")
    }
  }

  private func collada(
    arrayCount: Int = 12, vertexCount: Int = 4, triangleCount: Int = 2,
    indices: String = "0 1 2 0 2 3"
  ) -> String {
    """
    <?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
    <asset><up_axis>Y_UP</up_axis></asset><!-- <accessor source="#pa" count="99" stride="3"> -->
    <library_geometries><geometry id="g"><mesh><source id="p">
    <float_array id="pa" count="\(arrayCount)">0 0 0 1 0 0 1 1 0 0 1 0</float_array>
    <technique_common><accessor source="#pa" count="\(vertexCount)" stride="3">
    <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
    </accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="\(triangleCount)"><input semantic="VERTEX" source="#v" offset="0"/>
    <p>\(indices)</p></triangles></mesh></geometry></library_geometries>
    <library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node>
    </visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>
    """
  }

  @Test func `COLLADA that takes more numbers than it holds is refused`() throws {
    #expect(try fault("a.dae", collada()) == "no error")
    #expect(
      try fault("a.dae", collada(arrayCount: 3))
        == "a.dae: the file is damaged: 4 times 3 numbers are taken from the array 'pa', which has 3"
    )
    #expect(try fault("a.dae", collada(vertexCount: 5)).contains("5 times 3 numbers"))
    #expect(
      try fault("a.dae", collada(vertexCount: Int.max)).contains("more than the file has bytes"))
    #expect(
      try fault("a.dae", collada(triangleCount: 1 << 31))
        == "a.dae: the file is damaged: 'triangles' claims 2147483648 elements, more than the file has "
        + "bytes")
    #expect(
      try fault("a.dae", collada(indices: "0 1 -1 0 2 3"))
        == "a.dae: the file is damaged: a face has a negative vertex index")
  }

  #if os(Linux)
    @Test(.notSanitized) func `a scene that depends on memory that nobody set is refused`() throws {
      // The faces of the map refer to texture coordinates that are not there.
      let text = """
        *3DSMAX_ASCIIEXPORT 200
        *GEOMOBJECT {
        *NODE_NAME "a"
        *MESH {
        *MESH_NUMVERTEX 3
        *MESH_NUMFACES 1
        *MESH_VERTEX_LIST {
        *MESH_VERTEX 0 0 0 0
        *MESH_VERTEX 1 1 0 0
        *MESH_VERTEX 2 1 1 0
        }
        *MESH_FACE_LIST {
        *MESH_FACE 0: A: 0 B: 1 C: 2 AB: 1 BC: 1 CA: 1 *MESH_SMOOTHING 1 *MESH_MTLID 0
        }
        *MESH_NUMTVERTEX 3
        *MESH_TVERTLIST {
        *MESH_TVERT 0 0 0 0
        *MESH_TVERT 1 1 0 0
        *MESH_TVERT 2 1 1 0
        }
        *MESH_NUMTVFACES 1
        *MESH_TFACELIST {
        *MESH_TFACE 0 0 1 4000
        }
        }
        }
        """
      #expect(try fault("a.ase", text.replacing("4000", with: "2")) == "no error")
      #expect(try fault("a.ase", text) != "no error")
    }
  #endif
}
