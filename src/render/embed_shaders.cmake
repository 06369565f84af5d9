# cmake -DOUT=shaders.c -DDIRECTORY=shaders -DNAMES="box.vert,box.frag" -P embed_shaders.cmake
# Turns shader files into one C array of {file name, source}.
set(text "#include \"render/shader.h\"\n\nconst struct rv_shader_source rv_shader_sources[] = {\n")
string(REPLACE "," ";" names "${NAMES}")
foreach(name IN LISTS names)
    file(READ ${DIRECTORY}/${name} source)
    string(REPLACE "\\" "\\\\" source "${source}")
    string(REPLACE "\"" "\\\"" source "${source}")
    string(REPLACE "\n" "\\n\"\n     \"" source "${source}")
    string(APPEND text "    {\"${name}\",\n     \"${source}\"},\n")
endforeach()
string(APPEND text "    {0, 0}};\n")
file(WRITE ${OUT} "${text}")
