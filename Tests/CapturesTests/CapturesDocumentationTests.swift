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

        A capture is what an app recorded together with the mesh: images with their cameras, \
        and depth maps. meshpipe finds captures automatically:

        - `meshpipe run PIPELINE room/` uses the folder as the scan: its own mesh and its frames. \
        `${stem}` is the folder's name.
        - `meshpipe run PIPELINE room/mesh.obj` finds frames next to the mesh, or in the only \
        zip, r3d or tar next to it that contains a capture, judged by the names in it.
        - `meshpipe run PIPELINE mesh.obj --frames room/` specifies them: a folder, a file in it such as \
        `transforms.json`, or an archive. `--frames none` ignores them.
        - A folder without a mesh is the scan of pipelines that make one from its depth maps, with `fuse-depth`, \
        or points, with `points-from-depth`.
        - A folder with photographs and nothing else is the scan of pipelines that find their poses, with `estimate-poses`: \
        see [from photographs alone](photos.md).
        - A folder that is not a capture and holds a single mesh stands for that mesh, as an archive of it does. The \
        index file of a capture, such as `transforms.json`, stands for its folder.
        - Of several meshes of an app that one is read on which most of the measured depths lie; the usual one \
        stays where no depth was measured, where no other has 5 % more of the depths, or where the others lack its \
        classes, colours or textures. The report names the figures (`framesDepthOnMeshes`), \
        `--mesh export.obj` takes another mesh, and pipelines that use no frames and `preview` take the usual one.
        - `meshpipe info room/` shows what a capture contains and how it fits its mesh; `--json` lists \
        every frame.

        Frames are read only if a stage or condition of the pipeline uses them.

        \(CaptureCatalogue(builtInLayouts).markdown)
        ## Passing a capture on

        - The output format [`frames-bundle`](formats.md#frames-bundle) writes all of a capture, of any layout, as a \
        folder: `meshpipe run room/ -s refine-poses -o refined/ --output-format frames-bundle`, or \
        `{ "path": "${stem}/", "format": "frames-bundle" }` in a pipeline. Images, depth maps and the mesh are copied \
        if no stage changed them; `meshpipe verify refined/` compares all files with their hashes.
        - Of a frames bundle everything is kept that its `manifest.json` or `manifest.sha256.json` names: sound, \
        measurements of motion and position (`imu.csv`, `gps.jsonl`, `barometer.csv` and the like are found by their \
        names, too), reference pictures, statistics, locks, and all fields of lines that meshpipe has no meaning for.
        - The folder should be new or that of an earlier run: a run is refused if images of other frames would remain.

        ## Archives

        A scan may be an archive (\(archives)). It is unpacked into a private folder that is \
        removed at the end. An archive is refused if it contains a name that leads out of the folder, a link, a \
        device or an encrypted file, or if it unpacks to much more than its size justifies.

        ## What is checked

        - A frame is left out, with a warning that names it and the invalid field, if its focal \
        length, principal point, lens distortion or position is impossible, if its pose is not a \
        rigid motion, or if its image is missing, truncated, larger than any camera's or rotated \
        relative to its intrinsics. A capture without usable frames is an error.
        - Depth maps without an image, of which several apps store many, are used by stages that work on depth \
        maps, and are checked in the same way. A capture may have depth maps only.
        - Intrinsics for another size are scaled to the image's. EXIF orientation is ignored: cameras \
        refer to the stored pixels.
        - Images may be JPEG (CMYK too), PNG, WebP, HEIC or AVIF. WebP needs libwebp, and the last two \
        libheif, which are loaded when needed (`apt-get install libwebp7 libheif1`; newer \
        systems have its decoders in separate packages: `libheif-plugin-libde265 libheif-plugin-dav1d`); videos \
        need FFmpeg. For an image of another kind the message says how to convert it.
        - Images that `transforms.json` refers to by paths of another machine are looked up by name in \
        the capture's folder, and a note says where they were found.
        - Frames of a video are decoded once per run and kept in a temporary file without a name, as long as \
        they take at most 1 GiB and leave 1 GiB of the disk free.
        - Frames of a frames bundle's video are matched by the times in the video itself, unless the \
        numbers of the frames are those of its images; a frame whose image has another time is \
        reported.
        - `manifest.sha256.json` of a frames bundle is verified.
        - The poses are measured. Depths must be on the mesh, and images must agree at the same \
        places of the mesh: small patches of each image are matched in others, at low \
        resolution and independent of exposure. Where little can be compared, as on plain walls, \
        nothing is concluded.
        - If another interpretation of the coordinates fits clearly better, a message names the option for it: \
        `--frames-convention` for the axes, storage order and direction of poses, `--input-up` or \
        `--input-unit` for the mesh, `--frames-up` or `--frames-unit` for the poses. Each one was tested, and \
        none wins by comparing less than before.
        - Frames whose image contradicts the others, or whose depth map does not fit the mesh, \
        are left out, with a warning that names them and says whether they would fit rotated by 180 \
        degrees, mirrored, or with the pose of another frame.
        - If most images contradict one another, no frame sees the mesh, or the depth maps don't fit and \
        the images don't clearly agree, a run ends with exit code 65, and the message \
        says what would make the frames fit, if anything does. `--force-poses` uses all frames \
        anyway, with warnings. Frames that were only found beside a mesh, and not named, are left out \
        with a warning instead.
        - Depth maps in another unit than declared (tenths of millimetres, feet, …) are read in the unit \
        in which they fit the mesh, with a warning. Depth maps that don't fit at all are ignored if the \
        images fit.
        - A focal length that is wrong by the same factor in all frames, from 2 % on, is corrected \
        if images or depth maps clearly fit better with another one, with a warning.
        - A radial lens distortion that no file records is added to all frames if their images clearly \
        fit the mesh better with one, with a warning. Where they don't show it before poses are refined, \
        `refine-poses` looks again: most phones' lenses stretch images by 1 or 2 %, which apps don't record.
        - Poses that are clearly off the mesh, as depth maps show, are corrected, with a warning that says by how \
        much and what seems to be the cause: the positions of all frames are scaled if poses and mesh are not \
        of one size, and else each frame is moved to where its depth map lies on the mesh (tracking that drifted, a \
        mesh that was moved). A mesh that lies a centimetre or more beside all depth maps together is met by one motion \
        of all frames, if it shows surfaces in all directions. A mesh that was moved far (centred, or put down elsewhere) \
        is looked for: if the depth maps fit it clearly better there, all frames are moved to it, with a warning that \
        says how far; where it shows little but a floor, which slides on itself, the warning says about how far, and \
        they stay. One that was turned about the vertical axis, too, is not found. Without depth maps none of this is \
        known.
        - A capture that hardly sees the mesh ends with exit code 65, too, unless depths or images confirm what it \
        sees of it.

        `--strict` turns each of these warnings into an error.

        ## Hidden backgrounds

        The `manifest.json` of a frames bundle may say in which steps it was recorded, and what was measured then. The \
        preset `occlusion` of [`check-capture`](stages/check-capture.md), and `meshpipe info --gates=occlusion`, judge a \
        capture by the steps, from poses and depth maps alone, and tell where the manifest is wrong, with line and column.

        ```json
        {
          "recipe": {
            "steps": [
              { "name": "background", "start": 0, "end": 3 },
              { "name": "hidden", "start": 4, "end": 9 }
            ]
          },
          "summary": { "separation_mm": 80, "passed": true }
        }
        ```

        - A step has a `name`, and `start` and `end` in seconds since the first frame. Where more steps have frames that \
        way, they are on the clock of the frames' `timestamp`. `first_frame` and `last_frame`, values of `frame_idx`, \
        serve instead.
        - The step `background` shows the background alone, and in the step `hidden` something stands before it. \
        `"background": "clear"` and `"hidden": ["in", "out"]` in the recipe name other steps for it.
        - The centred 36 % of each depth map, 60 % of its width and height, has a grid of 20 by 20 cells. The depth of a \
        cell is the median of its pixels, and that of the background the median of the depth maps of its step.
        - A cell is hidden where it is nearer than the background by more than 1 cm and 1 % of the depth, the noise of a \
        phone. 60 % of the cells must be hidden, and the median of all cells 50 mm nearer, in 70 % of the depth maps of \
        the step, whose frames last 4 to 6 s.
        - The camera must stay within 0.5° and 2 mm over 2 s, from the first step to the last.
        - Of `summary`, or `qc`, these are compared with what was measured: `lock_rotation_deg` (the greatest, within \
        0.1°), `lock_translation_mm` (the greatest, 0.5 mm), `barrier_fraction` (the median, 0.05), `separation_mm` (the \
        median, 10 mm), `dwell_s` (the shortest, 0.25 s) and `passed`.
        - What cannot be measured is unknown, and refuses the capture: a step that does not exist, a step without \
        frames, no depth maps, no times.
        - What stands before the background is not on the capture's mesh. Where frames are left out for that, \
        `--force-poses` keeps them.

        ## Masks

        What a mask hides is used for nothing: no texel or colour comes from it, no pose is refined by it, its \
        depths are not fused, and what no frame shows outside masks is filled from what frames do show. All stages that \
        read frames follow masks, and so does the check of the frames against the mesh.

        | Mask of `images/a.jpg` | What is left out |
        |---|---|
        | `mask_path` of the frame in `transforms.json` (nerfstudio) | black |
        | `masks/a.png`, `masks/a.jpg.png` (COLMAP), beside `images` or in it; `masks_2` for `images_2`; any image format | black |
        | `images/a_mask.png`, `images/a.mask.png` | black |
        | `images/dynamic_mask_a.png` (instant-ngp) | all but black |
        | the opacity of a PNG or WebP image itself | less than half opaque |

        The masks of other layouts are found by the same names, those of a video's frames by the names of the frames. A mask \
        of another size counts with its nearest pixels. A mask that is named and missing, is outside the capture's \
        folder without `--allow-external`, can't be read or has another shape than its image, and a folder of masks none of \
        which has the name of an image, are reported, and the frames are used without. A program that wrote 0 as the opacity of everything is not followed. `meshpipe info` counts masks; \
        `--masks ignore` uses images and depth maps whole.

        ## Depth maps of transforms.json

        `depth_file_path` (or `depth_path`) may name a 16-bit grey PNG, a NumPy array (`.npy`: integers or floating-point \
        numbers of any width and byte order, by rows or columns) or an OpenEXR file. `depth_unit_scale_factor` or \
        `integer_depth_scale` is the length of 1 in metres. Without it whole numbers are millimetres, and floating-point \
        numbers what they can only be: metres, or millimetres if most are over 150. A factor by which nothing would be \
        farther than 3 cm is not believed, with a warning. Where there is a mesh, the unit is measured, too. A depth \
        map of another kind is named, with the way out.

        ## Poses

        Inside meshpipe a pose maps the camera to the world; the camera looks along -Z with Y up, and \
        the centre of the first pixel is (0.5, 0.5). Layouts are converted when they are read. \
        `--frames-convention` takes words separated by commas: `gl` (Y up, looks along -Z; ARKit, \
        nerfstudio) or `cv` (Y down, looks along +Z; OpenCV, COLMAP), `rows` or `columns`, `c2w` \
        (camera to world) or `w2c`.

        Most layouts specify the axes and unit of their world, and are converted to those of the mesh. \
        `transforms`, `colmap` and `arkitscenes` don't: their poses are assumed to use the coordinates of the mesh's \
        file, unless they clearly fit better in metres with its axes, with Y up as in ARKit, \
        or with Z up as in nerfstudio. Depth maps decide this. Without depth maps, the agreement of the \
        images on the mesh decides, and a warning says what was assumed, or that it is \
        undecided. `--frames-up` and `--frames-unit` specify it, for any layout.

        nerfstudio turns poses before it writes `transforms.json` (`applied_transform` and `applied_scale`, which say \
        how), and again before it trains (`dataparser_transforms.json`, looked for in the folder and the one above \
        it). The mesh of the scan is in the world before all that, a mesh that nerfstudio exported in the one after it, and \
        either may have been moved by hand. So the frames are compared with the mesh in each of these worlds, by depth maps \
        or by small patches of the images, and `meshpipe info` says which one fits and how well the others do. If the poses \
        fit as they are, that is told; if nothing shows the world, the poses are moved back as declared, with a warning, \
        and so are those of a capture without a mesh. `--frames-up` takes them as they are. A mesh after \
        `dataparser_transforms.json` is not at true scale; a warning says the factor.

        """)
  }
}
