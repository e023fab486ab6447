extension PluginSkeleton {
  /// A reader or a writer of points as lines of text, with a test.
  var format: [File] {
    let isReader = kind == .reader
    var files = [
      File(name: name + PluginManifest.fileEnding, text: formatManifest),
      File(
        name: "\(identifier).py", text: isReader ? readerProgram : writerProgram, isProgram: true),
      File(name: "test_\(identifier).py", text: isReader ? readerTest : writerTest),
    ]
    if isReader { files.append(File(name: "sample.\(name)", text: "0 0 0\n1 0 0\n0 1 0\n")) }
    return files
  }

  private var formatManifest: String {
    let direction =
      kind == .reader
      ? #""reads": ["points"], "sample": "sample.\#(name)""# : #""writes": ["points"]"#
    return """
      {
        "meshpipePlugin": 1,
        "name": "\(name)",
        "version": "0.1.0",
        "summary": "What it is good for.",
        "author": "Your name",
        "license": "MIT",
        "protocol": 1,
        "interpreter": ["python3"],
        "executable": "\(identifier).py",
        "formats": [
          {
            "id": "\(name)",
            "name": "Points as lines of text",
            "extensions": ["\(name)"],
            \(direction)
          }
        ]
      }

      """
  }

  private var readerProgram: String {
    """
    #!/usr/bin/env python3
    \"""The plugin '\(name)' for meshpipe: reads points, one line with x, y and z each.\"""

    import numpy as np

    import meshpipe


    @meshpipe.reader("\(name)")
    def read_\(identifier)(path):
        points = []
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    points.append([float(word) for word in line.split()[:3]])
                    assert len(points[-1]) == 3
                except (ValueError, AssertionError):
                    raise meshpipe.Fault(f"line {number} has no x, y and z") from None
        # Specify the up axis and the unit here.
        system = meshpipe.CoordinateSystem(up="y", meters_per_unit=1)
        positions = np.array(points, np.float32).reshape(-1, 3)
        if not np.isfinite(positions).all():
            raise meshpipe.Fault("a coordinate is not finite")
        return meshpipe.Scene(
            coordinate_system=system, point_clouds=[meshpipe.PointCloud(positions, "points")])


    if __name__ == "__main__":
        meshpipe.main()

    """
  }

  private var readerTest: String {
    """
    \"""Run with: python3 -m pytest, or python3 test_\(identifier).py\"""

    import os

    from \(identifier) import read_\(identifier)


    def test_reads_the_sample():
        sample = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sample.\(name)")
        (cloud,) = read_\(identifier)(sample).point_clouds
        assert cloud.positions.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


    if __name__ == "__main__":
        test_reads_the_sample()
        print("ok")

    """
  }

  private var writerProgram: String {
    """
    #!/usr/bin/env python3
    \"""The plugin '\(name)' for meshpipe: writes points and vertices, one line with x, y and z each.\"""

    import meshpipe


    @meshpipe.writer("\(name)")
    def write_\(identifier)(scene, path):
        # Coordinates are in the scene's axes and unit: see scene.coordinate_system.
        with open(path, "w", encoding="ascii") as file:
            for part in scene.point_clouds + scene.meshes:
                for x, y, z in part.positions.tolist():
                    file.write(f"{x:.6g} {y:.6g} {z:.6g}\\n")


    if __name__ == "__main__":
        meshpipe.main()

    """
  }

  private var writerTest: String {
    """
    \"""Run with: python3 -m pytest, or python3 test_\(identifier).py\"""

    import os
    import tempfile

    import numpy as np
    from \(identifier) import write_\(identifier)

    import meshpipe


    def test_writes_points():
        cloud = meshpipe.PointCloud(np.eye(3, dtype=np.float32), "points")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.\(name)")
            write_\(identifier)(meshpipe.Scene(point_clouds=[cloud]), path)
            assert open(path).read() == "1 0 0\\n0 1 0\\n0 0 1\\n"


    if __name__ == "__main__":
        test_writes_points()
        print("ok")

    """
  }
}
