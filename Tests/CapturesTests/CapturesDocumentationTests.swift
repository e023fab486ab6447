import Captures
import MeshPipeline
import MeshTestSupport
import Testing

struct CapturesDocumentationTests {
  @Test func `the page of all captures is current`() throws {
    let archives = CaptureArchive.endings.map { "`\($0)`" }.joined(separator: ", ")
    try expectGeneratedPage(
      "docs/captures.md",
      holds: """
        # Captures

        <!-- Made from the declarations in Sources/Captures by `make docs`; changes belong there. -->

        A capture is what an app recorded beside the mesh: pictures with the cameras that took them, \
        and depth maps. meshpipe finds it by looking:

        - `meshpipe run PIPELINE room/` takes the folder for the scan: its own mesh and its frames. \
        `${stem}` is the folder's name.
        - `meshpipe run PIPELINE room/mesh.obj` finds the frames that lie beside the mesh, or in the only \
        zip, r3d or tar beside it that holds a capture by the names in it.
        - `meshpipe run PIPELINE mesh.obj --frames room/` names them: a folder, a file in it such as \
        `transforms.json`, or an archive. `--frames none` leaves them out.
        - `meshpipe info room/` tells what a capture holds and how it fits its mesh; `--json` lists \
        every frame.

        Frames are read only when a stage or condition of the pipeline asks for them.

        \(CaptureCatalogue(builtInLayouts).markdown)
        ## Archives

        A scan may come as an archive (\(archives)). It is unpacked into a private folder that is \
        removed at the end. An archive is refused when it holds a name that climbs out, a link, a \
        device or an encrypted file, or unpacks to much more than its size justifies.

        ## What is checked

        - A frame is left out, with a warning that names it and the field at fault, when its focal \
        length, principal point, lens distortion or position is impossible, when its pose is not a \
        rigid motion, or when its picture is missing, cut off, larger than any camera's or turned \
        against its intrinsics. A capture without a frame that \
        can be used is an error.
        - Intrinsics for another size are scaled to the picture's. Turns in EXIF are ignored: cameras \
        refer to the pixels as they are stored.
        - Pictures may be JPEG (CMYK too), PNG, WebP, HEIC or AVIF. WebP needs libwebp and the last two \
        libheif, which are opened when such a picture is met (`apt-get install libwebp7 libheif1`; newer \
        systems have its decoders apart: `libheif-plugin-libde265 libheif-plugin-dav1d`); videos need \
        FFmpeg. A picture of another kind is named with the way out.
        - Pictures that `transforms.json` names by paths of another machine are looked for by their names in \
        the capture's folder, and a note says where they were found.
        - Pictures of a video are decoded once a run and kept in a temporary file without a name, as long as \
        they take no more than 1 GiB and leave 1 GiB of the disk free.
        - Pictures of a frames bundle's video are matched by the times of the video itself, unless the \
        numbers of the frames are those of its pictures; a frame whose picture is of another time is \
        told of.
        - `manifest.sha256.json` of a frames bundle is verified.
        - The poses are measured. Depths must lie on the mesh, and pictures must show the same at the same \
        places of the mesh: small patches of each picture are looked for in others, at low \
        resolution and whatever the exposure. Where little can be compared, as on plain walls, \
        nothing is concluded.
        - When another reading of the numbers fits clearly better, a message says which option to give: \
        `--frames-convention` for the axes, order and direction of poses, `--input-up` or \
        `--input-unit` for the mesh, `--frames-up` or `--frames-unit` for the poses. Each was tried, and \
        none wins by comparing less than before.
        - Frames whose picture contradicts the others, or whose depth map lies elsewhere than the mesh, \
        are left out, with a warning that names them and says whether they would fit turned by 180 \
        degrees, mirrored, or with the pose of another frame.
        - When most pictures contradict one another, no frame sees the mesh, or the depth maps lie \
        elsewhere and the pictures don't clearly agree, a run ends with exit code 65, and the message \
        says what would make the frames fit, if anything does. `--force-poses` uses all frames as they \
        are, with warnings.
        - Depth maps in another unit than they say (tenths of millimetres, feet, …) are read in the unit \
        in which they fit the mesh, with a warning. Depth maps that fit nothing are not used when the \
        pictures fit.
        - A focal length that is wrong in all frames by the same factor, from 2 % on, is corrected \
        when pictures clearly agree better with another one, with a warning.

        `--strict` makes each of these warnings an error.

        ## Poses

        Inside meshpipe a pose maps the camera to the world; the camera looks along -Z with Y up, and \
        the centre of the first pixel is (0.5, 0.5). Layouts are converted when they are read. \
        `--frames-convention` takes words with commas between: `gl` (Y up, looks along -Z; ARKit, \
        nerfstudio) or `cv` (Y down, looks along +Z; OpenCV, COLMAP), `rows` or `columns`, `c2w` \
        (camera to world) or `w2c`.

        Most layouts say in which axes and unit their world is, and are carried to those of the mesh. \
        `transforms`, `colmap` and `arkitscenes` don't: their poses are taken for numbers of the mesh's \
        file, unless they clearly fit it better in metres with its axes, with Y up as ARKit gives them, \
        or with Z up as nerfstudio does. Depth maps decide it. Without any, it is decided by whether the \
        pictures agree on what is on the mesh, and a warning says what was taken, or that they \
        don't tell. `--frames-up` and `--frames-unit` say it, for any layout.

        """)
  }
}
