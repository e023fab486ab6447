import MeshPipeline

extension CommandTable {
  static let compare = Verb(
    name: "compare", summary: "measure how far two scans or models are from each other",
    discussion: """
      Measures distances both ways, from points spread evenly over the faces of each scan, and from its vertices, to the \
      nearest place on the other: mean, root mean square, median, the distance that 95 % do not exceed, and the \
      greatest one with its position. The greater of the two greatest ones is the Hausdorff distance. \
      Signs are positive in front of the second scan, on the side that its faces show. At the nearest places normals are \
      compared in degrees, colours by CIEDE2000 and classes by area. Two models with colours are rendered from four \
      sides, and the pictures compared; with a capture as SECOND the first is rendered into its photographs, with the recorded poses. \
      Below that stands what the two contain.

      The second scan is converted to the axes and the unit of the first; it is only moved with --align. \
      Points of scans without faces are measured to the nearest face or point. In pipelines the stage 'compare' does the same.
      """,
    operands: [
      Operand(name: "FIRST", help: "A scan, model or capture.", kind: .scan),
      Operand(name: "SECOND", help: "The scan, model or capture to compare it with.", kind: .scan),
    ],
    options: Option.ordered(
      [
        .heatMap, .colorRange, .align, .m3c2, .maximumDistance, .samples, .seed, .json, .secondUnit,
        .secondUp, .reportFaces,
      ],
      Option.settings(
        \.$inputFormat, \.$inputUp, \.$inputUnit, \.$inputClasses, \.$mesh, \.$framesConvention,
        \.$framesUp, \.$framesUnit, \.$masks, \.$allowsExternalFiles,
        \.$requiresConfinement, \.$replacesReadOnly, \.$keepsExisting),
      [.jobs], Option.settings(in: .plugins), [.help]),
    examples: [
      Example(
        line: "meshpipe compare scan.obj low.glb", purpose: "What making a model light cost."),
      Example(
        line: "meshpipe compare day1/scan.ply day2/scan.ply -o changes.ply --range 5cm",
        purpose: "Where something changed, as colours."),
      Example(
        line: "meshpipe compare part.stl scan.ply --max-distance 2mm",
        purpose: "As a check."),
      Example(
        line: "meshpipe compare --json scan.obj low.glb | jq .distance.max",
        purpose: "For programs."),
    ],
    perform: CompareVerb.perform)
}
