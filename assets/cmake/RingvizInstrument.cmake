# ringviz_instrument(TARGET): compile a C or C++ target so that `ringviz -- PROGRAM` sees its calls. Functions of system
# headers (the standard library's templates) stay out; nothing is linked, and outside of ringviz the hooks of the C
# library do nothing. Debug information gives subroutines their file and line.
function(ringviz_instrument target)
    set(gcc -g -finstrument-functions -fno-optimize-sibling-calls
        -finstrument-functions-exclude-file-list=/usr/include,/usr/lib)
    set(clang -g -finstrument-functions-after-inlining -fno-optimize-sibling-calls)
    target_compile_options(${target} PRIVATE
        "$<$<OR:$<COMPILE_LANG_AND_ID:C,GNU>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:${gcc}>"
        "$<$<OR:$<COMPILE_LANG_AND_ID:C,Clang,AppleClang>,$<COMPILE_LANG_AND_ID:CXX,Clang,AppleClang>>:${clang}>")
endfunction()
