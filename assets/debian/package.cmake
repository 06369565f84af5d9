# Debian packages, by `cpack`: the command, its window, its library, what is needed to build with that, and the programs
# of --bench.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "The ringviz developers <developers@ringviz.invalid>")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib) # our library is in no package yet
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(CMAKE_CROSSCOMPILING)
    execute_process(COMMAND dpkg-architecture --host-type ${CMAKE_LIBRARY_ARCHITECTURE} --query DEB_HOST_ARCH
        OUTPUT_VARIABLE CPACK_DEBIAN_PACKAGE_ARCHITECTURE OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL ringviz library development bench)
if(RINGVIZ_WINDOW)
    list(APPEND CPACK_COMPONENTS_ALL window)
endif()
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/finish.cmake)

set(CPACK_DEBIAN_RINGVIZ_PACKAGE_NAME ringviz-headless)
set(CPACK_DEBIAN_RINGVIZ_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_RINGVIZ_DEPENDS library)
set(CPACK_DEBIAN_RINGVIZ_PACKAGE_DEPENDS "libedit2, libstdc++6") # loaded when first called
set(CPACK_DEBIAN_RINGVIZ_PACKAGE_SUGGESTS "ringviz, ringviz-bench, libringviz-dev, libdebuginfod1")
set(CPACK_DEBIAN_RINGVIZ_DESCRIPTION "recorder and reporter of program execution
Records, reports and exports the calls of a running program. The package
ringviz has its window, pictures and films.")

set(CPACK_DEBIAN_WINDOW_PACKAGE_NAME ringviz)
set(CPACK_DEBIAN_WINDOW_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_WINDOW_DEPENDS ringviz)
# SDL opens EGL when it has no display; its Mesa brings the software renderer along.
set(CPACK_DEBIAN_WINDOW_PACKAGE_DEPENDS libegl1)
set(CPACK_DEBIAN_WINDOW_DESCRIPTION "real-time visualizer of program execution
 Shows the calls of a running program, thread by thread, as 3D bars over time.")

# They can be installed for several machines at once. CPack 3.25 has no variable for this field.
set(same_for_all_machines "\nMulti-Arch: same")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libringviz0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION "libs${same_for_all_machines}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/triggers)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "tell ringviz of calls: the library
 Programs that are not instrumented by their compiler tell of their calls by it.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libringviz-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION "libdevel${same_for_all_machines}")
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "tell ringviz of calls: what programs are built with
 Headers, the static library, and files for pkg-config and CMake.")

set(CPACK_DEBIAN_BENCH_PACKAGE_NAME ringviz-bench)
set(CPACK_DEBIAN_BENCH_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_BENCH_DEPENDS ringviz)
set(CPACK_DEBIAN_BENCH_DESCRIPTION "programs that ringviz measures
 What ringviz --bench runs to tell what tracing costs.")
include(CPack)
