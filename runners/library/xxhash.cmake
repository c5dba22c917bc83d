# Defines the target xxHash::xxhash from xxhash.h and libxxhash, unless it exists.
if(NOT TARGET xxHash::xxhash)
  find_path(XXHASH_INCLUDE_DIR xxhash.h)
  find_library(XXHASH_LIBRARY xxhash)
  mark_as_advanced(XXHASH_INCLUDE_DIR XXHASH_LIBRARY)
  if(XXHASH_INCLUDE_DIR AND XXHASH_LIBRARY)
    add_library(xxHash::xxhash UNKNOWN IMPORTED)
    set_target_properties(xxHash::xxhash PROPERTIES IMPORTED_LOCATION "${XXHASH_LIBRARY}"
                          INTERFACE_INCLUDE_DIRECTORIES "${XXHASH_INCLUDE_DIR}")
  endif()
endif()
