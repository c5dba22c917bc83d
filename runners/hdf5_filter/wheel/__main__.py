from fpsynth_hdf5 import folder

print(folder)
