# The Debian packages that ringviz needs, in one place; sourced by assets/demo.sh and tests/run.sh.

RINGVIZ_BUILD_PACKAGES="gcc g++ cmake ninja-build pkg-config libxxhash-dev libzstd-dev libyajl-dev zlib1g-dev libelf-dev
libsdl2-dev libglew-dev libcglm-dev libpng-dev libfreetype-dev libharfbuzz-dev libfribidi-dev libfontconfig-dev libimgui-dev libstb-dev libgl1-mesa-dri
fonts-dejavu-core fonts-dejavu-extra libperl-dev ruby-dev libedit-dev libzydis-dev"

RINGVIZ_TEST_PACKAGES="clang-14 llvm-14 libclang-rt-14-dev libcriterion-dev libjansson-dev glslang-tools xvfb xauth xdotool weston strace spin
uftrace debuginfod desktop-file-utils lintian shared-mime-info binutils dwz file dpkg-dev man-db procps util-linux protobuf-compiler perl-doc libclass-xsaccessor-perl libcoro-perl libdbd-sqlite3-perl ruby ruby-minitest rake
firefox-esr fonts-droid-fallback fonts-lohit-deva fonts-tlwg-loma-ttf"

# Print the missing ones of the named packages, one per line.
missing_packages() {
    for package in "$@"; do
        case "$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null)" in
        *'install ok installed') ;;
        *) echo "$package" ;;
        esac
    done
}

# Install missing packages and print them. Fails if impossible.
install_packages() {
    missing=$(missing_packages "$@" | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "no apt-get here; these Debian packages or their like are needed: $missing" >&2
        return 0
    fi
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    if [ -n "$sudo" ] && ! command -v sudo >/dev/null 2>&1; then
        echo "not root and no sudo; as root: apt-get install $missing" >&2
        return 1
    fi
    echo "installing: $missing"
    # shellcheck disable=SC2086
    $sudo apt-get update -qq </dev/null &&
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 \
            $missing </dev/null >/dev/null
}
