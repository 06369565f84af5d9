# What a Debian package has beyond what is installed: its copyright, a changelog, and compressed pages. CPack runs it where
# the files of each package lie.
set(packages_ringviz ringviz-headless)
set(packages_window ringviz)
set(packages_library libringviz0)
set(packages_development libringviz-dev)
set(packages_bench ringviz-bench)
# CPack 3.25 writes scripts that call ldconfig, whatever triggers there are; plstrace.pl is called so by CPAN's users; what
# is measured calls nothing of libc; the command of the desktop's entry is in the package that the window needs.
set(overrides_ringviz "script-with-language-extension [usr/bin/plstrace.pl]")
set(overrides_window "desktop-command-not-in-package ringviz [usr/share/applications/ringviz.desktop]")
set(overrides_library "maintscript-calls-ldconfig *")
set(overrides_bench "shared-library-lacks-prerequisites *")

foreach(component ringviz window library development bench)
    set(package ${packages_${component}})
    set(share ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
    if(NOT IS_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY}/${component})
        continue()
    endif()
    file(COPY ${CMAKE_CURRENT_LIST_DIR}/copyright ${CMAKE_CURRENT_LIST_DIR}/changelog DESTINATION ${share}/doc/${package}
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    file(GLOB plain ${share}/doc/${package}/changelog ${share}/man/man1/*.1 ${share}/man/man7/*.7)
    execute_process(COMMAND gzip -9n ${plain} COMMAND_ERROR_IS_FATAL ANY)
    if(overrides_${component})
        file(WRITE ${share}/lintian/overrides/${package} "${package}: ${overrides_${component}}\n")
    endif()
endforeach()
