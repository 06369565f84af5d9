# ringviz_instrument([TARGET...]): compile C and C++ targets so that `ringviz -- PROGRAM` sees their calls. An INTERFACE
# library passes it on to who links it; without a target it is everything that this folder and those below it add from
# here on: called once, before the targets, it is the whole project. Functions of system headers (the standard library's
# templates) stay out; nothing is linked, and outside of ringviz the hooks of the C library do nothing. Debug information
# gives subroutines their file and line.
function(ringviz_instrument)
    set(gcc -g -finstrument-functions -fno-optimize-sibling-calls
        -finstrument-functions-exclude-file-list=/usr/include,/usr/lib)
    set(clang -g -finstrument-functions-after-inlining -fno-optimize-sibling-calls)
    set(options
        "$<$<OR:$<COMPILE_LANG_AND_ID:C,GNU>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:${gcc}>"
        "$<$<OR:$<COMPILE_LANG_AND_ID:C,Clang,AppleClang>,$<COMPILE_LANG_AND_ID:CXX,Clang,AppleClang>>:${clang}>")
    if(NOT ARGN)
        add_compile_options("${options}")
    endif()
    foreach(target IN LISTS ARGN)
        get_target_property(aliased ${target} ALIASED_TARGET)
        if(aliased)
            set(target ${aliased})
        endif()
        get_target_property(type ${target} TYPE)
        if(type STREQUAL "INTERFACE_LIBRARY")
            target_compile_options(${target} INTERFACE "${options}")
        else()
            target_compile_options(${target} PRIVATE "${options}")
        endif()
    endforeach()
endfunction()
