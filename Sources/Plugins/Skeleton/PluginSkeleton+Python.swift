extension PluginSkeleton {
  /// A stage with numpy, with a test.
  var python: [File] {
    let manifest = manifest(
      program: """
        "protocol": 1,
          "interpreter": ["python3"],
          "executable": "\(identifier).py",
        """)
    return [
      File(name: name + PluginManifest.fileEnding, text: manifest),
      File(name: "\(identifier).py", text: program(identifier), isProgram: true),
      File(name: "test_\(identifier).py", text: test(identifier)),
    ]
  }

  private func program(_ function: String) -> String {
    """
    #!/usr/bin/env python3
    \"""The plugin '\(name)' for meshpipe.\"""

    import meshpipe


    @meshpipe.stage
    def \(function)(scene, distance=0.01):
        # Lengths come in metres; the scene may be in another unit.
        step = scene.length(distance)
        axis = "xyz".index(scene.coordinate_system.up[-1])
        sign = -1 if scene.coordinate_system.up.startswith("-") else 1
        for number, mesh in enumerate(scene.meshes):
            mesh.positions[:, axis] += sign * step
            meshpipe.progress((number + 1) / len(scene.meshes))


    if __name__ == "__main__":
        meshpipe.main()

    """
  }

  private func test(_ function: String) -> String {
    """
    \"""Run with: python3 -m pytest, or python3 test_\(function).py\"""

    import numpy as np
    from \(function) import \(function)

    import meshpipe


    def test_moves_up():
        mesh = meshpipe.Mesh(np.zeros((3, 3), np.float32), np.array([[0, 1, 2]], np.uint32))
        scene = meshpipe.Scene(meshes=[mesh])
        \(function)(scene, distance=0.5)
        assert np.allclose(mesh.positions, [0, 0.5, 0])


    if __name__ == "__main__":
        test_moves_up()
        print("ok")

    """
  }
}
