"""Files for `fpsynth repack`: repack_there_and_back.py make|same|change FILE [OTHER|WHAT].

make writes a file with all that repack must keep; same compares what it made of it; change damages a copy in one
place, so that the comparison of repack has something to find."""

import sys

import h5py
import numpy

action, path, *rest = sys.argv[1:]
CHANGES = {
    "value": lambda file: file["t"].__setitem__((3, 4, 5), 1e6),
    "left": lambda file: file["compound"].__setitem__(0, (7, 2.5)),
    "text": lambda file: file["strings"].__setitem__(1, "other"),
    "list": lambda file: file["lists"].__setitem__(0, [1.0, 3.0]),
    "attribute": lambda file: file["t"].attrs.modify("units", "C"),
    "attributes": lambda file: file["group/inner"].attrs.__delitem__("note"),
    "link": lambda file: file.__delitem__("soft"),
    "target": lambda file: (file.__delitem__("soft"), file.__setitem__("soft", h5py.SoftLink("/u"))),
    "hard": lambda file: (file.__delitem__("same"), file.__setitem__("same", file["y"])),
    "scale": lambda file: file["t"].attrs.__delitem__("DIMENSION_LIST"),
    "extent": lambda file: file["time"].resize((101,)),
}
# References that lead elsewhere are mended.
MENDED = {
    "reference": lambda file: file["t"].attrs.modify("reference", file["y"].ref),
    "region": lambda file: file["t"].attrs.modify(
        "region", numpy.array([file["y"].regionref[1:2]], h5py.regionref_dtype)),
}


def wave(shape, dtype):
    values = numpy.round(1e4 * numpy.sin(numpy.arange(numpy.prod(shape)) / 50)) / 100
    values[1], values[2] = numpy.nan, -0.0
    return values.astype(dtype).reshape(shape)


def make():
    with h5py.File(path, "w", userblock_size=512) as file:
        file.attrs["title"] = "everything"
        shape = (100, 20, 10)
        t = file.create_dataset("t", data=wave(shape, "<f4"), maxshape=(None, 20, 10), chunks=(30, 20, 10),
                                compression="gzip", shuffle=True, fillvalue=-999.0)
        t.attrs["units"], t.attrs["_FillValue"] = "K", numpy.float32([-999])
        for name, length in (("time", 100), ("y", 20), ("x", 10)):
            file.create_dataset(name, data=numpy.arange(length, dtype="f8"),
                                maxshape=(None,) if name == "time" else None).make_scale(name)
        inner = file.create_group("group/inner", track_order=True)
        inner.attrs["note"] = ["a", "b"]
        for name in ("zulu", "alpha"):
            inner.create_dataset(name, data=wave(shape, ">f8"))
        for data in (t, inner["zulu"]):
            for axis, name in enumerate(("time", "y", "x")):
                data.dims[axis].attach_scale(file[name])
        file["u"] = (numpy.arange(20000) % 77).astype("<i8")
        file["big"] = (numpy.arange(20000) % 77).astype(">i4")
        file["noise"] = numpy.frombuffer(numpy.random.default_rng(1).bytes(16000), "<i8")
        file["short"] = numpy.arange(9000, dtype="i2")
        file["compound"] = numpy.array([(1, 2.5), (3, 4.5)], dtype=[("a", "i4"), ("b", "f8")])
        file["strings"] = numpy.array(["abc", "de"], dtype=object)
        file["fixed"] = numpy.array([b"abc", b"de"])
        lists = file.create_dataset("lists", (2,), h5py.vlen_dtype("f8"))
        lists[0], lists[1] = [1.0, 2.0], [3.0]
        file["one"], file["nothing"] = 3.25, h5py.Empty("f4")
        file["type"] = numpy.dtype([("q", "f4"), ("r", "i8")])
        file.create_dataset("typed", (3,), dtype=file["type"])
        file["references"] = numpy.array([t.ref, inner.ref], dtype=h5py.ref_dtype)
        t.attrs["reference"] = inner["zulu"].ref
        t.attrs["region"] = numpy.array([inner["zulu"].regionref[0:2, 1]], h5py.regionref_dtype)
        file["same"], file["soft"] = t, h5py.SoftLink("/t")
        file["dangling"], file["elsewhere"] = h5py.SoftLink("/no"), h5py.ExternalLink("no.h5", "/x")
        file["loop"] = file["/"]
        part = file.create_dataset("part", (500, 60), "f4", chunks=(50, 60), fillvalue=7)
        part[5:10, 50:] = 1.5
    with open(path, "r+b") as file:
        file.write(b"user block")


def same(other):
    """h5diff and the program compare the rest; here are dimension scales, references, order and the filter."""
    with open(other, "rb") as file:
        assert file.read(10) == b"user block"
    with h5py.File(path) as before, h5py.File(other) as after:
        for name in ("t", "group/inner/zulu", "group/inner/alpha", "u", "big", "part", "short"):
            one, two = before[name], after[name]
            assert list(two._filters) == ["63824"], (name, two._filters)
            assert one.dtype == two.dtype and one.maxshape == two.maxshape, name
            assert one.fillvalue == two.fillvalue, name
            assert one[...].tobytes() == two[...].tobytes(), name
        for name in ("noise", "compound", "time"):
            assert before[name].chunks == after[name].chunks and not after[name]._filters, name
        for name in ("t", "group/inner/zulu"):
            scales = [[scale.name for scale in axis.values()] for axis in after[name].dims]
            assert scales == [["/time"], ["/y"], ["/x"]], scales
        users = [(after[user].name, axis) for user, axis in after["y"].attrs["REFERENCE_LIST"]]
        assert len(users) == 2 and all(axis == 1 for _, axis in users), users
        assert after[after["t"].attrs["reference"]] == after["group/inner/zulu"]
        assert after[after["references"][1]] == after["group/inner"]
        assert after["t"] == after["same"] and after["loop"] == after["/"]
        assert list(after["group/inner"]) == ["zulu", "alpha"]
        assert after.get("elsewhere", getlink=True).filename == "no.h5"
        assert after["typed"].id.get_type().committed()
    print("same")


def make_odd():
    """References in records, as NWB's tables have them, a name that h5repack cannot take, and a large attribute."""
    with h5py.File(path, "w", libver=("v108", "v110")) as file:
        file.attrs["large"] = numpy.arange(20000.)
        for name in ("lfp", "spikes"):
            file["acquisition/" + name] = wave((20000,), "f4")
        file["ch:1"], file["two words"] = wave((20000,), "f8"), wave((20000,), "f8")
        file["other:name"] = file["ch:1"]
        lfp, spikes = file["acquisition/lfp"], file["acquisition/spikes"]
        inner = numpy.dtype([("to", h5py.ref_dtype, (2,)), ("part", h5py.regionref_dtype)])
        record = numpy.dtype([("start", "i4"), ("series", h5py.ref_dtype), ("inner", inner)])
        table = file.create_dataset("intervals/trials", (3,), record, chunks=(2,), maxshape=(None,))
        for i, at in enumerate((lfp, spikes, lfp)):
            table[i] = (i, at.ref, ([lfp.ref, spikes.ref], at.regionref[i:10]))
        table[2] = (2, h5py.Reference(), ([lfp.ref, h5py.Reference()], h5py.RegionReference()))
        lists = file.create_dataset("lists", (2,), h5py.vlen_dtype(h5py.ref_dtype))
        lists[0] = numpy.array([lfp.ref, spikes.ref], h5py.ref_dtype)


def odd(*filtered):
    with h5py.File(path) as file:
        assert file.attrs["large"][19999] == 19999
        for name in ("acquisition/lfp", "acquisition/spikes", "two words", "ch:1"):
            assert (list(file[name]._filters) == ["63824"]) == (name in filtered), name
            assert file[name][...].tobytes() == wave((20000,), file[name].dtype).tobytes(), name
        lfp, spikes = file["acquisition/lfp"], file["acquisition/spikes"]
        for row, at in zip(file["intervals/trials"], (lfp, spikes, None)):
            assert file[row["inner"]["to"][0]] == lfp
            if at is not None:
                part = row["inner"]["part"]
                assert file[row["series"]] == at == file[part] and file[row["inner"]["to"][1]] == spikes
                assert h5py.h5r.get_region(part, file.id).get_select_npoints() == 10 - row["start"]
            else:
                assert not row["series"] and not row["inner"]["to"][1] and not row["inner"]["part"]
        assert [file[one].name for one in file["lists"][0]] == ["/acquisition/lfp", "/acquisition/spikes"]
    print("same")


if action == "change":
    with h5py.File(path, "r+") as opened:
        (CHANGES | MENDED)[rest[0]](opened)
elif action in ("changes", "mended"):
    print(*(CHANGES if action == "changes" else MENDED))
else:
    globals()[action](*rest)
