# What can be read of a file is described, what cannot is marked, and the exit status says so.
hdu() { # hdu CARD...: a header of 2880 bytes
  { printf '%-80s' "$@" END && printf '%2880s' ''; } | head -c 2880
}
image() { # image NAME VALUES: an extension of doubles
  hdu "XTENSION= 'IMAGE   '" "BITPIX  =                  -64" "NAXIS   =                    1" \
    "NAXIS1  = $(printf %20d "$2")" "PCOUNT  =                    0" "GCOUNT  =                    1" \
    "EXTNAME = '$1'"
  { perl -e 'print pack("d>*", map { $_ / 7 } 1 .. $ARGV[0])' "$2" && head -c 2880 /dev/zero; } | head -c 2880
}
primary=("SIMPLE  =                    T" "BITPIX  =                    8" "NAXIS   =                    0")
hdu "${primary[@]}" >none.fits
{ hdu "${primary[@]}" "EXTEND  =                    T" && image ONE 300 && image TWO 200; } >whole.fits
if ! "$fpsynth" data info whole.fits >.out 2>.err </dev/null; then
  grep -q 'was built without' .err || not_ok 'a FITS file by hand is not read'
  skip 'no cfitsio in this program (libcfitsio-dev)'
fi
prints '^whole_TWO +double +1600 '
# cfitsio and zfp have functions of the same names. Under a limit on the size of files, both are in one process.
limited() { (ulimit -f 100000 && exec "$fpsynth" compare whole.fits:TWO --only memcpy,zfp --repetitions 1); }
"$fpsynth" --version | grep -q 'no zfp' || expect 0 limited
expect 0 fpsynth data info none.fits
says 'note: none\.fits has no variables'

head -c 12000 whole.fits >data.fits # cut in the values of TWO
expect 1 fpsynth data info data.fits --out info.json
prints '^data_ONE +double +2400 '
prints '^data\.fits:TWO +float64 +200 +not read: it is cut off: 1600 bytes of data begin at 11520'
says '1 variable could not be read: data\.fits:TWO'
grep -q '"not read: data.fits:TWO"' info.json || not_ok 'the document does not say what is missing'
expect 1 fpsynth data info data.fits --json
prints '"refused": "it is cut off'
head -c 9000 whole.fits >header.fits # in the header of TWO
expect 1 fpsynth data info header.fits
prints '^header_ONE +double +2400 '
prints '^header\.fits:2 +damaged .*not read: the file is cut off in the header'
expect 1 fpsynth data decode header.fits none
says 'a part of it is damaged \(2: .*name a variable: ONE'
expect 0 fpsynth data decode header.fits:ONE one.f64
