extension PluginSkeleton {
  /// A stage in Swift with the C ABI, with a test.
  var swift: [File] {
    get throws {
      [
        libraryManifest,
        File(name: "\(identifier).swift", text: swiftProgram),
        File(name: "test/main.swift", text: swiftTest),
        makefile(
          sources: "\(identifier).swift meshpipe_plugin.h module.modulemap",
          library:
            "swiftc -O -emit-library -module-name \(identifier) -I . -o $@ \(identifier).swift",
          test: "swiftc -module-name test -I . -o $@ \(identifier).swift test/main.swift",
          testSources: "test/main.swift"),
        File(name: "module.modulemap", text: moduleMap),
        try header,
      ]
    }
  }

  private var moduleMap: String {
    """
    module CMeshpipePlugin {
      header "meshpipe_plugin.h"
      export *
    }

    """
  }

  private var swiftProgram: String {
    """
    // The plugin '\(name)' for meshpipe; see meshpipe_plugin.h for the rules.
    import CMeshpipePlugin

    /// Moves points, three coordinates each, along an axis.
    func move(_ positions: UnsafeMutableBufferPointer<Float>, along axis: Int, by step: Float) {
      for index in stride(from: axis, to: positions.count, by: 3) { positions[index] += step }
    }

    /// Moves every vertex up.
    private func \(identifier)(
      _ host: UnsafePointer<meshpipe_host>, distance: Double, _ scene: inout meshpipe_scene
    ) -> Int32 {
      // Lengths come in metres; the scene may be in another unit.
      let step = Float(distance / scene.meters_per_unit)
      let isUpward = scene.up < Int32(MESHPIPE_MINUS_X)
      for number in 0..<scene.mesh_count {
        guard let mesh = scene.meshes[number] else { continue }
        // Lent arrays are read-only; this replaces one by a copy.
        guard let positions = meshpipe_edit_positions(host, mesh) else {
          return host.pointee.fail(host, Int32(MESHPIPE_TRY_AGAIN), "out of memory")
        }
        move(
          UnsafeMutableBufferPointer(start: positions, count: 3 * mesh.pointee.vertex_count),
          along: Int(scene.up % 3), by: isUpward ? step : -step)
        let fraction = Double(number + 1) / Double(scene.mesh_count)
        if host.pointee.progress(host, fraction) != 0 { return Int32(MESHPIPE_CANCELLED) }
      }
      return Int32(MESHPIPE_DONE)
    }

    /// The plugin's entry for meshpipe; it lives as long as the process.
    nonisolated(unsafe) private let plugin: UnsafePointer<meshpipe_plugin> = {
      let plugin = UnsafeMutablePointer<meshpipe_plugin>.allocate(capacity: 1)
      plugin.initialize(
        to: meshpipe_plugin(
          struct_size: MemoryLayout<meshpipe_plugin>.stride, abi: MESHPIPE_ABI,
          run: { host, task, scene in
            guard let host, let task, let scene else { return Int32(MESHPIPE_FAULT) }
            if meshpipe_is_stage(task, "\(name)") != 0 {
              let distance = meshpipe_number(task, "distance", 0.01)
              return \(identifier)(host, distance: distance, &scene.pointee)
            }
            return host.pointee.fail(host, Int32(MESHPIPE_UNAVAILABLE), "unknown stage")
          },
          // Vertices and faces stay, and with them whatever attributes they have.
          attributes: UInt32(MESHPIPE_ALL_ATTRIBUTES)))
      return UnsafePointer(plugin)
    }()

    @_cdecl("meshpipe_plugin_entry")
    public func entry(hostABI: UInt32) -> UnsafePointer<meshpipe_plugin>? {
      hostABI >= MESHPIPE_ABI ? plugin : nil
    }

    """
  }

  private var swiftTest: String {
    """
    // Run with: make test
    var positions = [Float](repeating: 0, count: 6)
    positions.withUnsafeMutableBufferPointer { move($0, along: 1, by: 0.5) }
    precondition(positions == [0, 0.5, 0, 0, 0.5, 0])
    print("ok")

    """
  }
}
