import MeshPipeline

/// The sheets of a scene: a plan of each storey of its buildings, and its sections.
struct DrawingSet {
  let title: String
  let sheets: [DrawingSheet]

  /// - Parameters:
  ///   - format: Its name, for errors.
  ///   - holdsPictures: Whether walls seen from the front have what the scan's texture shows of them.
  /// - Throws: If there is nothing to draw, or it does not fit on the sheets that were asked for.
  init(
    of scene: Scene, _ options: DrawingOptions, in context: WritingContext, format: String,
    holdsPictures: Bool = true
  ) throws {
    let settings = options.settings
    let meters = scene.coordinateSystem.metersPerUnit
    let photographs =
      holdsPictures && options.elevations && !scene.buildings.isEmpty
      ? try WallPhotographs(of: scene, in: context.stage) : nil
    var views: [DrawingView] = []
    for building in scene.buildings {
      let pictures = try photographs?.pictures(of: building) ?? [:]
      views += BuildingPlan.views(of: building, settings, pictures: pictures)
    }
    views += scene.sections.compactMap { SectionView($0, metersPerUnit: meters).view }
    guard !views.isEmpty else {
      throw UnwritableScene.nothingToWrite(
        format: format, holds: "plans of buildings and sections that cut something")
    }
    let source = Self.source(context.provenance)
    title = [settings.title, scene.name, source.input ?? ""].first { !$0.isEmpty } ?? "Drawing"
    let block = TitleBlock(title: title, source: source.lines)
    do {
      sheets = try DrawingSheet.sheets(of: views, settings, block)
    } catch {
      throw DrawingMisfit(denominator: settings.denominator, misfit: error)
    }
  }

  /// What the drawing was made of and by what, in short.
  private static func source(_ provenance: Provenance?) -> (input: String?, lines: [String]) {
    guard let json = provenance?.json else { return (nil, []) }
    let input = json["inputs"]?.elements.first
    var lines: [String] = []
    if let name = input?["name"]?.text {
      lines.append(([name] + hash(input)).joined(separator: ", "))
    }
    let version = json["meshpipe"]?.text ?? ""
    let pipeline = json["pipeline"]
    let name = pipeline?["name"]?.text.map { " " + $0 } ?? ""
    lines.append(
      (["meshpipe \(version)"] + hash(pipeline).map { "pipeline\(name) \($0)" })
        .joined(separator: ", "))
    return (input?["name"]?.text, lines)
  }

  /// The beginning of a hash, by which people tell files apart.
  private static func hash(_ json: JSONValue?) -> [String] {
    json?["sha256"]?.text.map { ["SHA-256 \($0.prefix(12))"] } ?? []
  }
}

/// A drawing does not fit on its sheets.
struct DrawingMisfit: UserError {
  /// What was asked for; nil for any scale.
  var denominator: Double?
  var misfit: SheetFit.Misfit

  var exitCode: ExitCode { .configuration }
  var message: String {
    let size = misfit.size.name
    func text(_ denominator: Double) -> String { Scale(factor: 1 / denominator).text }
    let problem =
      denominator.map { "the drawing does not fit on \(size) at \(text($0))" }
      ?? "the drawing does not fit on \(size) at any scale"
    return problem
      + (misfit.fittingDenominator.map { "; it does at \(text($0))" }
        ?? "; check the scene's unit")
  }
}
