import Formats
import MeshPipeline
import Stages

extension FuzzTarget {
  /// A room of RoomPlan, which is read, and labels points at its own vertices.
  static let room = FuzzTarget(name: "room") {
    [Array(seed.utf8)]
  } read: { input in
    var bundle = FileBundle([])
    bundle.files = [("x.roomplan.json", input)]
    try bundle.withFolder { folder in
      var scene = try RoomPlan.read(folder + "/x.roomplan.json", in: ReadingContext())
      scene.requireValid()
      scene.pointClouds = scene.meshes.map { PointCloud(positions: $0.positions) }
      _ = try LabelFromRoom(LabelFromRoom.Parameters()).run(scene, in: StageContext())
    }
  }

  private static let seed = """
    {"version":2,"walls":[{"category":{"wall":{}},"identifier":"A","dimensions":[4,2.5,0],
    "curve":{"center":[0,-1],"radius":2.236,"startAngle":{"value":1,"unit":{"symbol":"rad"}},"endAngle":2},
    "transform":[1,0,0,0,0,1,0,0,0,0,1,0,0,1.25,-2,1]},
    {"category":{"wall":{}},"identifier":"B","dimensions":[4,2.5,0.1],"polygonCorners":[[-2,-1,0],[2,-1,0],[2,1,0],[0,2,0]],
    "transform":[0,0,1,0,0,1,0,0,-1,0,0,0,2,1.25,0,1]}],
    "doors":[{"category":{"door":{"isOpen":true}},"parentIdentifier":"A","dimensions":[1,2,0],
    "transform":[1,0,0,0,0,1,0,0,0,0,1,0,0,1,-2,1]}],
    "openings":[{"dimensions":[1,1,0],"transform":[0,0,1,0,0,1,0,0,-1,0,0,0,2,1.25,0,1]}],
    "floors":[{"dimensions":[4,4,0],"transform":[1,0,0,0,0,0,-1,0,0,1,0,0,0,0,0,1]}],
    "objects":[{"category":{"sofa":{}},"dimensions":[2,0.8,0.9],"transform":[1,0,0,0,0,1,0,0,0,0,1,0,0,0.4,0,1]}]}
    """
}
