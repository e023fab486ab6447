package import MeshPipeline
import NativeLibraries

/// Finds where photographs were taken, with COLMAP.
///
/// The program sees copies of the photographs without metadata, in a private folder, decoded and reduced here: so it
/// reads no file of the user, and photographs of all kinds and names are alike to it.
package struct PoseEstimation: Sendable {
  /// What the search may use, and what it demands.
  package struct Settings: Sendable {
    /// The longer side in pixels at which features are searched for.
    package var imageSize: Int
    /// The most features of a photograph.
    package var features: Int
    /// The share of the photographs that must be in one model.
    package var minimumShare: Double

    package init(imageSize: Int, features: Int, minimumShare: Double) {
      (self.imageSize, self.features) = (imageSize, features)
      self.minimumShare = minimumShare
    }
  }

  /// The number of photographs up to which each is compared with all others.
  package static let mostExhaustive = PhotographPairs.mostExhaustive
  /// The fewest photographs that determine a model which others can confirm.
  static let fewest = 3
  /// What photographs have whose files don't say it, as a share of their longer side: that of a phone's main camera.
  static let usualFocalLength = 0.8
  /// The shares of progress after the pictures, the features and the pairs.
  private static let stations = (pictures: 0.1, features: 0.35, pairs: 0.6)

  private let settings: Settings
  /// The program's path.
  private let program: String

  /// - Parameter program: Its path; nil if it is not installed.
  /// - Throws: ``PoseEstimationFailure/noProgram``.
  package init(
    _ settings: Settings, program: String? = FileSystem.program(named: "colmap")
  ) throws(PoseEstimationFailure) {
    guard let program else { throw .noProgram }
    self.settings = settings
    self.program = program
  }

  /// Finds the poses, in a world of unknown axes and scale.
  ///
  /// - Throws: ``PoseEstimationFailure``, ``Cancelled``, and errors of files.
  package func model(
    of photographs: [Capture.Photograph], in context: StageContext
  ) throws -> EstimatedModel {
    let place = FileSystem.temporaryFolder
    let folder = try FileSystem.createPrivateFolder(
      prefix: "\(FileSystem.canonicalPath(of: place) ?? place)/meshpipe-poses-")
    defer { try? FileSystem.removeFolder(folder) }
    let copies = try PhotographCopies(
      of: Self.inOrder(photographs), in: "\(folder)/images", atLeast: settings.imageSize,
      context
    ) { try context.progress(Self.stations.pictures * $0) }
    guard copies.kept.count >= Self.fewest else {
      throw PoseEstimationFailure.tooFew(count: copies.kept.count)
    }
    let program = COLMAPProgram(
      path: self.program, folder: folder, threads: Self.threads, memory: Self.memory,
      cancellation: context)
    let database = ("--database_path", "\(folder)/database.db")
    try findFeatures(of: copies, database, program, context)
    try compare(copies, database, program, context)
    let models = try solve(copies, database, program, context)
    try context.progress(1)
    return try chosen(of: models, copies)
  }

  private static var threads: Int {
    let cores = ProcessResources.allowedCores ?? 1
    return max(1, min(cores, Parallel.maximumThreads))
  }

  /// Bytes: a share of the machine's, as other programs get.
  private static var memory: Int { WorkerLimits(forBytes: 1 << 34).memory }

  /// In the order in which they were taken, if all say when; otherwise in that of their names.
  private static func inOrder(_ photographs: [Capture.Photograph]) -> [Capture.Photograph] {
    guard photographs.allSatisfy({ $0.timestamp != nil }) else { return photographs }
    return photographs.sorted { ($0.timestamp ?? 0, $0.name) < ($1.timestamp ?? 0, $1.name) }
  }

  // MARK: Steps

  private func findFeatures(
    of copies: PhotographCopies, _ database: (String, String), _ program: COLMAPProgram,
    _ context: StageContext
  ) throws {
    var done = 0
    for camera in copies.cameras {
      let list = "\(program.folder)/camera.txt"
      try FileSystem.replaceFile(
        list, with: camera.places.map { copies.kept[$0].copy + "\n" }.joined())
      try require(
        program, "feature_extractor",
        [
          database, ("--image_path", copies.folder), ("--image_list_path", list),
          ("--ImageReader.single_camera", "1"), ("--ImageReader.camera_model", "SIMPLE_RADIAL"),
          camera.parameters.map { ("--ImageReader.camera_params", $0) }
            ?? ("--ImageReader.default_focal_length_factor", "\(Self.usualFocalLength)"),
        ],
        settings: [
          ("use_gpu", "0"), ("num_threads", "\(program.threads)"),
          ("max_image_size", "\(settings.imageSize)"),
          ("max_num_features", "\(settings.features)"),
        ]
      ) { line in
        guard let count = Self.count(in: line, after: "Processed file [") else { return }
        try report(
          Double(done + count) / Double(copies.kept.count), Self.stations.pictures,
          Self.stations.features, context)
      }
      done += camera.places.count
    }
  }

  private func compare(
    _ copies: PhotographCopies, _ database: (String, String), _ program: COLMAPProgram,
    _ context: StageContext
  ) throws {
    let pairs = PhotographPairs(count: copies.kept.count).pairs
    let list = "\(program.folder)/pairs.txt"
    try FileSystem.replaceFile(
      list,
      with: pairs.map { "\(copies.kept[$0.0].copy) \(copies.kept[$0.1].copy)\n" }.joined())
    context.note("comparedPairs", pairs.count.json)
    var (done, blocks) = (0, 1)
    try require(
      program, "matches_importer",
      [database, ("--match_list_path", list), ("--match_type", "pairs")],
      settings: [
        ("use_gpu", "0"), ("num_threads", "\(program.threads)"), ("guided_matching", "1"),
      ]
    ) { line in
      guard let count = Self.count(in: line, after: "Matching block [") else { return }
      (done, blocks) = (count, max(blocks, Self.count(in: line, after: "/") ?? count))
      try report(
        Double(done) / Double(blocks), Self.stations.features, Self.stations.pairs, context)
    }
  }

  /// The models that photographs which show the same are put into; the demands on their beginning and on each photograph
  /// are lowered if not all photographs get into one.
  private func solve(
    _ copies: PhotographCopies, _ database: (String, String), _ program: COLMAPProgram,
    _ context: StageContext
  ) throws -> [EstimatedModel] {
    var best: [EstimatedModel] = []
    for (attempt, demands) in [Self.usualDemands, Self.lowDemands].enumerated() {
      let output = "\(program.folder)/sparse\(attempt)"
      try FileSystem.createFolder(output)
      // It says that it failed where it finds no model, which is told by the folder.
      _ = try program.run(
        "mapper",
        [
          database, ("--image_path", copies.folder), ("--output_path", output),
          // The result depends on the order of sums, and on clocks where threads wait for each other.
          ("--Mapper.num_threads", "1"),
        ], settings: demands
      ) { line in
        guard line.hasPrefix("Registering image"), let open = line.lastIndex(of: "(") else {
          return
        }
        let digits = line[open...].filter(\.isNumber)
        let count = min(Int(digits) ?? 0, copies.kept.count)
        let share = Double(count) / Double(copies.kept.count)
        try report(
          (Double(attempt) + min(share, 1)) / 2, Self.stations.pairs, 1, context)
      }
      let models = try EstimatedModel.all(in: output, copies)
      if (models.first?.frames.count ?? 0) > (best.first?.frames.count ?? 0) { best = models }
      if best.first?.frames.count == copies.kept.count { break }
    }
    return best
  }

  /// Its own, but a small model is one, too, and few trials show whether photographs have a first pair.
  private static let usualDemands = [("min_model_size", "3"), ("init_num_trials", "30")]
  /// About half of what it demands by default.
  ///
  /// Inliers of the first pair and of each further photograph, their share, and the angle in degrees between the first
  /// two. Ten photographs of ninety-seven around an object so find nine poses, and with the usual demands none.
  private static let lowDemands =
    usualDemands + [
      ("init_min_num_inliers", "50"), ("abs_pose_min_num_inliers", "15"),
      ("abs_pose_min_inlier_ratio", "0.15"), ("init_min_tri_angle", "8"),
    ]

  /// The largest model, if it has enough of the photographs.
  private func chosen(
    of models: [EstimatedModel], _ copies: PhotographCopies
  ) throws(PoseEstimationFailure) -> EstimatedModel {
    let count = copies.kept.count
    guard var best = models.first else { throw .noModel(count: count) }
    best.others = models.dropFirst().map { $0.frames.map(\.name) }
    let posed = Set(best.frames.map(\.name))
    best.unposed = copies.kept.map(\.photograph.name).filter { !posed.contains($0) }
    let least = max(Self.fewest, Int((settings.minimumShare * Double(count)).rounded(.up)))
    guard posed.count >= least else {
      throw .tooFewPosed(
        posed: posed.count, count: count, least: least, others: best.others.map(\.count),
        unposed: FrameNames(best.unposed).names)
    }
    return best
  }

  // MARK: Messages of the program

  private func require(
    _ program: COLMAPProgram, _ command: String, _ options: [(name: String, value: String)],
    settings: [(name: String, value: String)], onLine: (String) throws -> Void
  ) throws {
    var said = ""
    let isDone = try program.run(command, options, settings: settings) { line in
      if !line.isEmpty { said = line }
      try onLine(line)
    }
    guard isDone else { throw PoseEstimationFailure.failed(command: command, said: said) }
  }

  /// The number behind a text in a line; nil without it.
  private static func count(in line: String, after text: String) -> Int? {
    guard let place = line.firstRange(of: text) else { return nil }
    return Int(line[place.upperBound...].prefix { $0.isNumber })
  }

  private func report(
    _ share: Double, _ start: Double, _ end: Double, _ context: StageContext
  ) throws {
    try context.progress(start + (end - start) * min(max(share, 0), 1))
  }
}
