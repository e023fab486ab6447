import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

#if os(Linux)
  /// Drawings as Inkscape and LibreCAD of Debian show them.
  struct DrawingJudgesTests {
    private func write(
      _ scene: Scene, _ format: any WritableFormat.Type, to folder: TemporaryFolder
    ) throws -> String {
      let output = OutputSet(folder: folder.path, mainFileName: "a.\(format.extensions[0])")
      try format.write(scene, to: output, in: WritingContext())
      return output.mainPath
    }

    private func run(
      _ name: String, _ arguments: [String], in folder: TemporaryFolder
    ) throws {
      let program = try Program.run(
        Checkers.program(name), arguments, in: folder.path,
        environment: ["QT_QPA_PLATFORM": "offscreen", "HOME": folder.path])
      try #require(program.status == 0, "\(program)")
    }

    private func numbers(_ script: String, _ arguments: [String]) throws -> [Double] {
      let program = try Program.run(Checkers.python, ["-c", script] + arguments)
      try #require(program.status == 0, "\(program)")
      return program.output.split { $0.isWhitespace }.compactMap { Double($0) }
    }

    @Test(.needs("numpy", "PIL", "scipy"))
    func `Inkscape shows SVG as poppler shows PDF`() throws {
      let folder = try TemporaryFolder()
      let scene = PlanFixtures.scene(PlanFixtures.flat)
      let svg = try write(scene, SVGFormat.self, to: folder)
      let pdf = try write(scene, PDFFormat.self, to: folder)
      let page = folder.path + "/page"
      try run("pdftoppm", ["-gray", "-png", "-r", "75", "-singlefile", pdf, page], in: folder)
      let picture = folder.path + "/inkscape.png"
      try run(
        "inkscape",
        [svg, "--export-type=png", "--export-dpi=75", "-o", picture, "-b", "white", "-y", "1"],
        in: folder)
      let script = """
        import sys, numpy
        from PIL import Image
        from scipy.ndimage import binary_dilation
        one, two = [numpy.asarray(Image.open(path).convert("L")).astype(int) for path in sys.argv[1:]]
        print(*(abs(a - b) for a, b in zip(one.shape, two.shape)))
        rows, columns = (min(a, b) for a, b in zip(one.shape, two.shape))
        # The strip of the title is letters alone, whose fonts differ; thin lines are paler in one of them.
        images = [image[:int(rows * .87), :columns] for image in (one, two)]
        around = [binary_dilation(image < 215, iterations=2) for image in images]
        dark = [image < 150 for image in images]
        print(dark[0].sum(), (dark[0] & around[1]).sum() / dark[0].sum(), (dark[1] & around[0]).sum() / dark[1].sum())
        """
      let found = try numbers(script, [page + ".png", picture])
      try #require(found.count == 5)
      #expect(found[0] <= 1 && found[1] <= 1)
      #expect(found[2] > 10_000 && found[3] > 0.98 && found[4] > 0.98, "\(found)")
    }

    @Test(.needs("numpy", "PIL"))
    func `LibreCAD shows the walls of DXF where they are`() throws {
      let folder = try TemporaryFolder()
      let path = try write(PlanFixtures.scene(PlanFixtures.room), DXF.self, to: folder)
      try run("librecad", ["dxf2pdf", "-a", path], in: folder)
      // LibreCAD takes its paper in the unit of the drawing, so that a page is 210 m wide.
      let page = folder.path + "/page"
      try run(
        "pdftoppm",
        ["-png", "-scale-to", "1200", "-aa", "no", "-singlefile", folder.path + "/a.pdf", page],
        in: folder)
      let script = """
        import sys, numpy
        from PIL import Image
        image = numpy.asarray(Image.open(sys.argv[1]).convert("RGB")).astype(int)
        grey = (image.max(axis=2) - image.min(axis=2) < 8) & (abs(image[:, :, 0] - 128) < 40)
        rows, columns = numpy.nonzero(grey)
        low, high = numpy.percentile(columns, [.5, 99.5]), numpy.percentile(rows, [.5, 99.5])
        width, height = low[1] - low[0], high[1] - high[0]
        inside = grey[int(high[0]):int(high[1]) + 1, int(low[0]):int(low[1]) + 1]
        print(width, width / height, inside.mean())
        """
      let found = try numbers(script, [page + ".png"])
      try #require(found.count == 3)
      // 4.6 by 3.6 m, less the room, a door and a window.
      let share = (4.6 * 3.6 - 4 * 3 - 0.3 * 2.1) / (4.6 * 3.6)
      #expect(found[0] > 200 && abs(found[1] - 4.6 / 3.6) < 0.03, "\(found)")
      #expect(abs(found[2] - share) < 0.03, "\(found), \(share)")
    }
  }
#endif
