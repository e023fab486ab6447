/// A picture of the documentation that stands by itself.
struct PageFigure {
  /// Its path in `docs/images`, without extension.
  let name: String
  let shot: Shot

  /// Its path in `docs/images`.
  var path: String { "\(name).\(shot.fileExtension)" }

  /// A picture for each pipeline that comes with meshpipe, of what it makes.
  static let pipelines = [
    PageFigure(name: "pipelines/blender", shot: made("blender", of: "room", "room.glb")),
    PageFigure(name: "pipelines/cad", shot: made("cad", of: "room.obj", "room.stl")),
    PageFigure(
      name: "pipelines/capture-check",
      shot: "capture-check hand-held --var stop=false -o hand.gates.svg"),
    PageFigure(
      name: "pipelines/clean-room",
      shot: made("clean-room", of: "room.obj", "room.glb", look: "--view 30,50")),
    PageFigure(
      name: "pipelines/coverage",
      shot: made("coverage", of: "room", "room.coverage.ply", look: "--size 256x192")),
    PageFigure(
      name: "pipelines/floorplan",
      shot: made("floorplan", of: "room.obj", "room.glb", look: "--view 30,50")),
    PageFigure(
      name: "pipelines/game", shot: made("game", of: "room.obj", "room_lod3.gltf")),
    PageFigure(
      name: "pipelines/levels",
      shot: made("levels", of: "room --level preview", "room.preview.glb", look: "--view 215,40")),
    PageFigure(name: "pipelines/photos", shot: made("photos", of: "photos", "photos.glb")),
    PageFigure(
      name: "pipelines/points",
      shot: made(
        "points", of: "room.obj", "room.ply -s 'crop min=[-9,-9,-9] max=[9,9,0.6]'",
        look: "--view 30,60 --size 280x210")),
    PageFigure(name: "pipelines/print", shot: made("print", of: "room.obj", "room.stl")),
    PageFigure(
      name: "pipelines/quicklook",
      shot: Shot(
        "quicklook room.obj -o out/ar.glb && meshpipe run out/ar.glb", look: "--shading lit")),
    PageFigure(
      name: "pipelines/reconstruct",
      shot: made("reconstruct", of: "room", "room.glb", look: "--view 215,40")),
    PageFigure(
      name: "pipelines/textured",
      shot: made("textured", of: "room", "room.glb", look: "--view 215,40")),
    PageFigure(name: "pipelines/shapes", shot: made("shapes", of: "room.obj", "room.glb")),
    PageFigure(
      name: "pipelines/web", shot: made("web", of: "room.obj", "room.glb", look: "--shading lit")),
  ]

  /// The pictures of the first pages.
  static let pages = [
    PageFigure(name: "pages/photograph", shot: "room/frame_00022.jpg"),
    PageFigure(name: "pages/scan", shot: Shot("room/export.obj", look: "--colors none")),
    PageFigure(name: "pages/lying", shot: Shot("room.obj", look: "--input-up z")),
    PageFigure(
      name: "pages/floor-plan", shot: Shot("room.obj -s detect-rooms -o plan.svg")),
    PageFigure(
      name: "pages/plan",
      shot: Shot("room.obj -s 'filter-classification drop=ceiling'", look: "--view top")),
  ]

  /// What a pipeline makes of a scan.
  private static func made(
    _ pipeline: String, of scan: String, _ output: String, look: String = ""
  ) -> Shot {
    Shot("\(pipeline) \(scan) -o out/ && meshpipe run out/\(output)", look: look)
  }
}
