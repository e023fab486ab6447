/// What a stage does, in two pictures of the documentation.
struct StageFigure {
  let stage: String
  /// What the pictures show, as a sentence.
  let caption: String
  let before: Shot
  let after: Shot
  var titles = ("before", "after")

  /// The pictures, in `docs`.
  var beforePath: String { "images/stages/\(stage)-before.\(before.fileExtension)" }
  var afterPath: String { "images/stages/\(stage)-after.\(after.fileExtension)" }

  /// The pictures as Markdown, for a page in `docs/stages`.
  var markdown: String {
    """
    | \(titles.0) | \(titles.1) |
    |---|---|
    | ![\(titles.0)](../\(beforePath)) | ![\(titles.1)](../\(afterPath)) |

    *\(caption)*
    """
  }
}

/// How a picture of the documentation is made.
struct Shot: ExpressibleByStringLiteral {
  /// What makes the model of which the picture is taken: what follows `meshpipe run`, or a file as it is.
  let model: String
  /// What else `meshpipe preview` is told.
  let look: String

  init(_ model: String, look: String = "") {
    self.model = model
    self.look = look
  }

  init(stringLiteral model: String) { self.init(model) }

  /// Whether the command writes the picture itself, as SVG.
  var isDrawing: Bool { model.hasSuffix(".svg") }
  var fileExtension: String { isDrawing ? "svg" : "jpg" }
}

extension StageFigure {
  private static let sofa =
    "-s weld -s 'filter-classification keep=seat' -s 'remove-fragments maximumParts=1'"
  /// The points of the furniture and floor, with floating specks.
  private static let specks =
    "-s 'filter-classification keep=floor,table,seat' -s 'sample-points at=vertices'"
  /// The rug alone, where details show.
  private static let rug = "-s 'crop center=[-0.25,-1.3,0.4] size=[1.7,0.5,1.3] mode=cut'"

  /// A figure for each stage; `DocumentationPictures` makes the files that they name.
  static let all: [StageFigure] =
    cleaning + reconstruction + selection + placement + structure + color

  private static let cleaning = [
    StageFigure(
      stage: "weld",
      caption:
        "Triangles with gaps are shaded separately. After `weld tolerance=1mm` they are "
        + "connected, and `compute-normals` shades them smoothly.",
      before: Shot("loose.ply -s compute-normals"),
      after: Shot("loose.ply -s 'weld tolerance=1mm' -s compute-normals")),
    StageFigure(
      stage: "clean",
      caption: "Patches with reversed winding are invisible from inside the room, until "
        + "`clean` fixes them.",
      before: Shot("flipped.obj", look: "--size 280x210"),
      after: Shot("flipped.obj -s clean", look: "--size 280x210")),
    StageFigure(
      stage: "fill-holes",
      caption: "`fill-holes maximumSize=40cm`: small holes are closed, large ones stay.",
      before: Shot("room.obj \(sofa)"),
      after: Shot("room.obj \(sofa) -s 'fill-holes maximumSize=40cm'")),
    StageFigure(
      stage: "smooth",
      caption: "`smooth noise=1cm`: the sofa's noise goes, its edges stay.",
      before: Shot("room.obj \(sofa)"),
      after: Shot("room.obj \(sofa) -s 'smooth noise=1cm'")),
    StageFigure(
      stage: "flatten",
      caption: "`flatten maximumShift=4cm`: the walls and the floor of a room become plane.",
      before: Shot("room.obj"),
      after: Shot("room.obj -s 'flatten maximumShift=4cm'")),
    StageFigure(
      stage: "remesh",
      caption: "`remesh` after `decimate`: as many faces, nearly equal ones.",
      before: Shot("room.obj \(sofa) -s 'decimate faces=15%'", look: "--edges"),
      after: Shot("room.obj \(sofa) -s 'decimate faces=15%' -s remesh", look: "--edges")),
    StageFigure(
      stage: "make-solid",
      caption:
        "`make-solid method=shell thickness=15cm`: the surface of a room, seen from outside, "
        + "gets walls.",
      before: Shot("room.obj", look: "--view 215,35"),
      after: Shot("room.obj -s 'make-solid method=shell thickness=15cm'", look: "--view 215,35")),
    StageFigure(
      stage: "compute-normals",
      caption: "A light sofa without normals shows its triangles; with normals it is smooth.",
      before: Shot("room.obj \(sofa) -s 'decimate faces=8%'"),
      after: Shot("room.obj \(sofa) -s 'decimate faces=8%' -s compute-normals")),
    StageFigure(
      stage: "inspect",
      caption: "`inspect show=defects`: open borders are orange, self-intersections red, edges "
        + "that are not manifold magenta.",
      before: "room.obj",
      after: Shot("room.obj -s 'inspect show=defects'", look: "--colors vertex"),
      titles: ("a scan", "its defects")),
    StageFigure(
      stage: "compare",
      caption:
        "`decimate faces=2%`, and what it moved: `compare show=distance range=2cm`. Red is in "
        + "front of the scan, blue behind it.",
      before: "room.obj -s 'decimate faces=2%'",
      after: Shot(
        "room.obj -s 'decimate faces=2%' -s 'compare show=distance range=2cm'",
        look: "--colors vertex"),
      titles: ("a light model", "its distances from the scan")),
    StageFigure(
      stage: "decimate",
      caption: "`decimate faces=5%`: 58,509 faces become about 3,000.",
      before: "room.obj", after: "room.obj -s 'decimate faces=5%'"),
  ]

  private static let reconstruction = [
    StageFigure(
      stage: "estimate-depth",
      caption:
        "`estimate-depth size=1 keepSensor=false`: one of 24 photographs, and the points that all of them together "
        + "measured, cut open.",
      before: "colored/frame_00005.jpg",
      after: Shot(
        "colored -s 'estimate-depth size=1 keepSensor=false' -s 'points-from-depth spacing=1cm' "
          + "-s 'crop min=[-9,-9,-9] max=[9,0.9,0.6]'"),
      titles: ("a photograph", "the points")),
    StageFigure(
      stage: "fuse-depth",
      caption: "`fuse-depth voxelSize=2cm`: one of 48 depth maps, and the mesh made of all.",
      before: "depth.jpg", after: Shot("depths -s 'fuse-depth voxelSize=2cm'"),
      titles: ("a depth map", "the mesh")),
    StageFigure(
      stage: "points-from-depth",
      caption:
        "`points-from-depth spacing=1cm`: one of 24 photographs with a depth map, and the points of all, "
        + "cut open.",
      before: "colored/frame_00005.jpg",
      after: Shot(
        "colored -s 'points-from-depth spacing=1cm' -s 'crop min=[-9,-9,-9] max=[9,0.9,0.6]'"),
      titles: ("a photograph", "the points")),
    StageFigure(
      stage: "reconstruct-surface",
      caption: "The vertices of a scan as points, and the surface that "
        + "`reconstruct-surface voxelSize=4cm` makes of them.",
      before: "room.obj -s compute-normals -s 'sample-points at=vertices'",
      after: Shot(
        "room.obj -s compute-normals -s 'sample-points at=vertices' "
          + "-s 'reconstruct-surface voxelSize=4cm'"),
      titles: ("the points", "the mesh")),
    StageFigure(
      stage: "refine-mesh",
      caption: "A phone's mesh, and after 24 photographs moved its vertices.",
      before: Shot("room/export.obj"), after: Shot("room -s refine-mesh")),
  ]

  private static let selection = [
    StageFigure(
      stage: "check-capture",
      caption:
        "One of 24 photographs of which four are blurred, and the gates of all, with a failure at `sharpness`.",
      before: Shot("hand-held/frame_00016.jpg"),
      after: Shot("hand-held -s 'check-capture stop=false' -o hand.gates.svg"),
      titles: ("a frame", "the gates")),
    StageFigure(
      stage: "crop",
      caption: "`crop center=[-0.9,-0.6,0] size=[2.4,1.8,2.8] mode=cut`: the contents of the box.",
      before: "room.obj",
      after: "room.obj -s 'crop center=[-0.9,-0.6,0] size=[2.4,1.8,2.8] mode=cut'"),
    StageFigure(
      stage: "crop-to-object",
      caption: "`crop-to-object scope=object`: one of 12 photographs from around a table, and "
        + "what stays of the room.",
      before: "circled/frame_00002.jpg",
      after: Shot("circled -s 'crop-to-object scope=object'"),
      titles: ("a frame", "the object")),
    StageFigure(
      stage: "classify-planes",
      caption: "A scan without classes, and what `classify-planes` finds: floor, walls, ceiling, "
        + "tables and seats.",
      before: Shot("room.obj", look: "--colors none"),
      after: Shot("room.obj -s 'classify-planes replace=true'")),
    StageFigure(
      stage: "label-from-room",
      caption:
        "`label-from-room`: the room as RoomPlan found it, and the classes that the scan takes from it.",
      before: Shot("room.room.json", look: "--view 15,60"),
      after: Shot("room.obj -s 'label-from-room elsewhere=none'"),
      titles: ("RoomPlan's room", "the labelled scan")),
    StageFigure(
      stage: "detect-shapes",
      caption: "`detect-shapes classify=true`: each plane and each round shape has its colour.",
      before: Shot("room.obj", look: "--colors none"),
      after: Shot("room.obj -s 'detect-shapes classify=true'", look: "--colors class"),
      titles: ("a scan", "its shapes")),
    StageFigure(
      stage: "filter-classification",
      caption: "`filter-classification keep=floor,table,seat`.",
      before: "room.obj", after: "room.obj -s 'filter-classification keep=floor,table,seat'"),
    StageFigure(
      stage: "remove-fragments",
      caption: "`remove-fragments minimumSize=30cm`: floating specks and single legs are removed.",
      before: "room.obj -s 'filter-classification keep=floor,table,seat'",
      after: Shot(
        "room.obj -s 'filter-classification keep=floor,table,seat' "
          + "-s 'remove-fragments minimumSize=30cm'")),
    StageFigure(
      stage: "filter-points",
      caption: "`filter-points method=radius radius=15cm minimumNeighbors=12`: floating specks "
        + "are removed from the points.",
      before: Shot("room.obj \(specks)"),
      after: Shot(
        "room.obj \(specks) -s 'filter-points method=radius radius=15cm minimumNeighbors=12'")),
    StageFigure(
      stage: "merge-features",
      caption: "`merge-features`: one point for each feature, of the samples of many frames.",
      before: Shot("features.xyz", look: "--view 110,30 --size 264x198"),
      after: Shot("features.xyz -s merge-features", look: "--view 110,30 --size 264x198")),
    StageFigure(
      stage: "thin-points",
      caption: "`thin-points method=distance spacing=3cm`: points a distance apart.",
      before: Shot(
        "room.obj \(sofa) -s 'sample-points density=6000'", look: "--view 110,30 --size 264x198"),
      after: Shot(
        "room.obj \(sofa) -s 'sample-points density=6000' "
          + "-s 'thin-points method=distance spacing=3cm'",
        look: "--view 110,30 --size 264x198")),
    StageFigure(
      stage: "select-frames",
      caption:
        "A blurred frame, whose edges are 2.4 times as wide as other frames predict, and its neighbour.",
      before: Shot("hand-held/frame_00016.jpg"), after: Shot("hand-held/frame_00017.jpg"),
      titles: ("left out", "kept")),
  ]

  /// What writes two scans of the room.
  private static let parts =
    "room.obj -s 'crop max=[0.9,9,9]' -o west.ply "
    + "&& meshpipe run room.obj -s 'crop min=[-0.9,-9,-9]' "
    + "-s 'transform rotate=[0,130deg,0] translate=[1.5,0.1,-1]' -o east.ply"

  private static let placement = [
    StageFigure(
      stage: "center",
      caption:
        "`center at=bottom`: the origin, where the axes meet, is at the centre of the floor.",
      before: "room.obj axes.obj --join",
      after: "room.obj -s 'center at=bottom' -o moved.ply && meshpipe run moved.ply axes.obj --join"
    ),
    StageFigure(
      stage: "align",
      caption:
        "Two overlapping scans of a room, one of them turned by 130° and moved away, as their files have them; and after "
        + "`align to=west`.",
      before: Shot("\(parts) && meshpipe run west.ply east.ply --join"),
      after: Shot(
        "\(parts) && meshpipe run east.ply --input west=west.ply -s 'align to=west' -o moved.ply "
          + "&& meshpipe run west.ply moved.ply --join")),
    StageFigure(
      stage: "transform",
      caption:
        "`transform rotate=[0,40deg,0] scale=0.5`: rotated and half as large, next to the axes.",
      before: "room.obj axes.obj --join",
      after: Shot(
        "room.obj -s 'transform rotate=[0,40deg,0] scale=0.5' -o moved.ply "
          + "&& meshpipe run moved.ply axes.obj --join")),
    StageFigure(
      stage: "set-scale",
      caption:
        "`set-scale distances=…`: the room is known to be wider than the scan says; next to the axes.",
      before: "room.obj axes.obj --join",
      after: Shot(
        "room.obj -s 'set-scale maximumChange=1 distances=\"[-2,0,0] to [2,0,0] = 6m\"' -o moved.ply "
          + "&& meshpipe run moved.ply axes.obj --join")),
    StageFigure(
      stage: "check-scale",
      caption:
        "`check-scale` measures a room by a known distance, and refuses the one that was scaled.",
      before: "room.obj axes.obj --join",
      after: Shot(
        "room.obj -s 'transform scale=0.5' -o moved.ply && meshpipe run moved.ply axes.obj --join"),
      titles: ("passes", "is refused")),
    StageFigure(
      stage: "georeference",
      caption:
        "`georeference` by two points of the room whose east and north are known; next to the axes of the map.",
      before: "room.obj axes.obj --join",
      after: Shot(
        "room.obj -s 'georeference points=[\"[0,0,0] = [1,2,0]\",\"[2,0,0] = [2.73,3,0]\"]' -o moved.ply "
          + "&& meshpipe run moved.ply axes.obj --join"),
      titles: ("a scan", "on the map")),
    StageFigure(
      stage: "convert-axes",
      caption:
        "The same sofa in a program that assumes Z up; after `convert-axes up=z` it is upright.",
      before: Shot("room.obj \(sofa)", look: "--input-up z"),
      after: Shot("room.obj \(sofa) -s 'convert-axes up=z'", look: "--input-up z")),
  ]

  private static let structure = [
    StageFigure(
      stage: "section",
      caption: "`section heights=1m tolerance=5mm`, as an output `.svg` draws it.",
      before: "room.obj",
      after: Shot("room.obj -s 'section heights=1m tolerance=5mm' -o plan.svg"),
      titles: ("a scan", "the section")),
    StageFigure(
      stage: "split",
      caption:
        "`split`: each class is a separate mesh, which can be moved without the others.",
      before: "room.obj -s 'filter-classification drop=ceiling,wall'",
      after: "apart.json room.obj"),
    StageFigure(
      stage: "detect-rooms",
      caption: "`detect-rooms`, as an output `.svg` draws it.",
      before: "room.obj",
      after: Shot("room.obj -s detect-rooms -o plan.svg"),
      titles: ("a scan", "its plan")),
    StageFigure(
      stage: "model-rooms",
      caption:
        "`model-rooms` after `detect-rooms`, without ceilings: solids with the classes of what they are.",
      before: "room.obj",
      after: Shot(
        "room.obj -s detect-rooms -s 'model-rooms parts=walls,floors,doors,windows,furniture'",
        look: "--view 30,50"),
      titles: ("a scan", "its model")),
    StageFigure(
      stage: "measure",
      caption: "`measure` after `detect-rooms`: an output `.svg` has a part of what it reports.",
      before: "room.obj",
      after: Shot("room.obj -s detect-rooms -s measure -o plan.svg"),
      titles: ("a scan", "its measures")),
    StageFigure(
      stage: "merge",
      caption: "`merge`: two meshes, shown apart here, become one.",
      before: "halves.json room.obj",
      after: "room.obj -s 'filter-classification drop=ceiling,wall' -s merge"),
    StageFigure(
      stage: "sample-points",
      caption: "`sample-points density=3000`: points on the faces, with their classes.",
      before: Shot("room.obj \(sofa)", look: "--view 110,30 --size 264x198"),
      after: Shot(
        "room.obj \(sofa) -s 'sample-points density=3000'", look: "--view 110,30 --size 264x198")),
    StageFigure(
      stage: "merge-materials",
      caption:
        "Eight materials and draw calls before, one after; the look is the same.",
      before: Shot("room.obj -o plain.glb && meshpipe run plain.glb", look: "--shading lit"),
      after: Shot(
        "room.obj -o plain.glb && meshpipe run plain.glb -s 'merge-materials classes=false'",
        look: "--shading lit")),
  ]

  private static let color = [
    StageFigure(
      stage: "unwrap",
      caption:
        "`unwrap checker=64`: each chart of the sofa has its colour, and the squares are as large everywhere.",
      before: Shot("room.obj \(sofa)"), after: Shot("room.obj \(sofa) -s 'unwrap checker=64'")),
    StageFigure(
      stage: "bake-maps",
      caption:
        "Few faces with their classes, and the same faces with a texture of the classes of all.",
      before: Shot("room.obj -s 'decimate faces=900 preserve='"),
      after: Shot(
        "room.obj -s 'decimate faces=900 preserve=' -s unwrap "
          + "-s 'bake-maps from=input maps=color colors=class'", look: "--shading lit")),
    StageFigure(
      stage: "bake-texture",
      caption: "The mesh, and the same mesh textured with its photographs.",
      before: "room/export.obj", after: Shot("room -s bake-texture")),
    StageFigure(
      stage: "bake-colors",
      caption: "Vertices take their colours from the photographs; a texture has more detail.",
      before: "room/export.obj", after: Shot("room -s bake-colors")),
    StageFigure(
      stage: "estimate-poses",
      caption:
        "One of 24 photographs without poses, and the points that they share once these are found.",
      before: "photos/photo_00003.jpg", after: Shot("photos -s estimate-poses"),
      titles: ("a photograph", "the points")),
    StageFigure(
      stage: "refine-poses",
      caption: "Baked with poses that are up to four centimetres off, and with the refined ones.",
      before: Shot("hand-held -s bake-texture \(rug)", look: "--view 0,60"),
      after: Shot("hand-held -s refine-poses -s bake-texture \(rug)", look: "--view 0,60")),
    StageFigure(
      stage: "report-coverage",
      caption: "Red areas are seen by at most one frame, blue ones by many.",
      before: "room/export.obj", after: Shot("room -s report-coverage", look: "--size 256x192")),
    StageFigure(
      stage: "resize-textures",
      caption: "`resize-textures maximumSize=256`: a much smaller file with much less detail.",
      before: Shot("room -s bake-texture \(rug)", look: "--view 0,60"),
      after: Shot(
        "room -s bake-texture -s 'resize-textures maximumSize=256' \(rug)", look: "--view 0,60")),
  ]
}
