"""The HDF5 filter from Python: filter_there_and_back.py PACKAGE write|read FILE[,FILE...] FILTER VALUE...

PACKAGE writes data sets of every kind with the filter, or reads those that another package wrote;
each value is compared to the bit. PACKAGE is h5py, h5netcdf, xarray, netCDF4, tables, or both: netCDF4
reads in a process in which h5py wrote, and h5py read. netCDF4's Python cannot name a filter, so that it
writes into the variables of an existing file. IMPORTS names modules to import first, in this order."""

import importlib
import os
import sys

import numpy

for module in os.environ.get("IMPORTS", "").split():
    importlib.import_module(module)
package, action, paths, *numbers = sys.argv[1:]
path = paths
filter_id, *values = (int(number) for number in numbers)


def signal(shape, dtype):
    """Values of two decimals; among floats also a NaN and zeros of both signs."""
    count = int(numpy.prod(shape))
    wave = numpy.round(1e5 * numpy.sin(numpy.arange(count) / 50)) / 100
    if numpy.dtype(dtype).kind == "f" and count > 4:
        wave[1], wave[2], wave[3] = numpy.nan, -0.0, 0.0
    return wave.astype(dtype).reshape(shape)


# Partial edge chunks, three dimensions, chunks of one element; both byte orders.
kinds = {}
for dtype in ("<f8", "<f4", "<i4", "<i8", "<u4", "<u8", ">f8", ">f4", ">i4", ">i8", ">u8"):
    name = dtype.replace("<", "little_").replace(">", "big_")
    kinds[name + "_edges"] = (signal((1000, 7), dtype), (333, 4))
    kinds[name + "_three"] = (signal((9, 40, 31), dtype), (4, 40, 16))
    kinds[name + "_ones"] = (signal((5,), dtype), (1,))


def compare(file, get):
    for name, (data, _) in kinds.items():
        found = numpy.asarray(get(file[name]))
        # Packages may give the machine's byte order.
        if found.shape != data.shape or found.astype(data.dtype).tobytes() != data.tobytes():
            sys.exit(f"{name}: other values")


def write_h5py():
    import h5py

    with h5py.File(path, "w") as file:
        for name, (data, chunks) in kinds.items():
            file.create_dataset(name, data=data, chunks=chunks, compression=filter_id,
                                compression_opts=tuple(values))


def write_h5netcdf():
    import h5netcdf

    with h5netcdf.File(path, "w") as file:
        for name, (data, chunks) in kinds.items():
            dimensions = tuple(f"{name}_{axis}" for axis in range(data.ndim))
            for dimension, length in zip(dimensions, data.shape):
                file.dimensions[dimension] = length
            file.create_variable(name, dimensions, data.dtype, data=data, chunks=chunks,
                                 compression=filter_id, compression_opts=tuple(values))


def write_xarray():
    import xarray

    variables, encoding = {}, {}
    for name, (data, chunks) in kinds.items():
        variables[name] = (tuple(f"{name}_{axis}" for axis in range(data.ndim)), data)
        encoding[name] = {"chunksizes": chunks, "compression": filter_id,
                          "compression_opts": tuple(values), "dtype": data.dtype,
                          "_FillValue": None}
    xarray.Dataset(variables).to_netcdf(path, engine="h5netcdf", encoding=encoding)


def write_netcdf4():
    import netCDF4

    with netCDF4.Dataset(path, "a") as file:
        file.set_auto_mask(False)
        for name, (data, _) in kinds.items():
            file[name][:] = numpy.zeros_like(data)
            file.sync()
            file[name][:] = data


def read_h5py():
    import h5py

    with h5py.File(path) as file:
        for name, (data, chunks) in kinds.items():
            variable = file[name]
            if str(filter_id) not in variable._filters or variable.chunks != chunks:
                sys.exit(f"{name}: {variable._filters} {variable.chunks}")
            stored = variable.id.get_storage_size()
            plain = data.itemsize * int(numpy.prod([-(-length // chunk) * chunk for length, chunk
                                                    in zip(data.shape, chunks)]))
            if data.size > 100 and stored > 0.9 * plain:
                sys.exit(f"{name}: {stored} of {plain} bytes")
            if stored != file[name.replace("big", "little")].id.get_storage_size():
                sys.exit(f"{name} is not as small as in the other byte order")
        compare(file, lambda variable: variable[...])


def read_h5netcdf():
    import h5netcdf

    with h5netcdf.File(path, "r", phony_dims="sort") as file:
        compare(file, lambda variable: variable[...])


def read_xarray():
    import xarray

    with xarray.open_dataset(path, engine="h5netcdf", decode_cf=False) as file:
        compare(file, lambda variable: variable.values)


def read_netcdf4():
    import netCDF4

    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        compare(file, lambda variable: variable[:])


def read_tables():
    import tables

    with tables.open_file(path) as file:
        compare(file.root, lambda variable: variable.read())


def refuse_bad_options():
    """Options that the filter does not know are an error when the data set is created."""
    import h5py

    for reason, dtype, options in (
        ("the first number is 1, not", "f8", (1, 2, 3)),
        ("they end after", "f8", tuple(values[:3])),
        ("there are none", "f8", None),
    ):
        with h5py.File(path + ".bad", "w") as file:
            try:
                file.create_dataset("x", (10,), dtype, chunks=(5,), compression=filter_id,
                                    compression_opts=options)
            except (ValueError, OSError) as error:
                if reason not in str(error):
                    sys.exit(f"the reason is not '{reason}': {error}")
            else:
                sys.exit(f"created with bad options: {options}")


def refuse_damaged_chunks():
    """Stored chunks that were flipped, cut short or forged are errors."""
    import h5py

    def stored(change):
        with h5py.File(path + ".bad", "w") as file:
            data, _ = kinds["little_f8_three"]
            variable = file.create_dataset("x", data=data, chunks=data.shape, compression=filter_id,
                                           compression_opts=tuple(values))
            chunk = bytearray(variable.id.read_direct_chunk((0, 0, 0))[1])
            variable.id.write_direct_chunk((0, 0, 0), bytes(change(chunk)))

    def flipped(at):
        def change(chunk):
            chunk[at] ^= 0x10
            return chunk

        return change

    changes = [flipped(at) for at in (0, 4, 5, 9, 20, 60, 200, -1)]
    changes += [lambda chunk: chunk[:100], lambda chunk: chunk[:-1], lambda chunk: b"FPSY"]
    for change in changes:
        stored(change)
        with h5py.File(path + ".bad") as file:
            try:
                file["x"][...]
            except OSError:
                continue
        sys.exit("a damaged chunk was read")


if package == "both":
    write_h5py()
    read_netcdf4()
    package = "h5py"
elif action == "write":
    globals()["write_" + package.lower()]()
if package == "h5py" and action == "write":
    refuse_bad_options()
    refuse_damaged_chunks()
for path in paths.split(","):
    globals()["read_" + package.lower()]()
print("same")
