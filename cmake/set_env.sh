# Sets the environment for the SoftAscend tree that this file is in. Source it, from sh, bash or zsh:
#   . PREFIX/set_env.sh
# shellcheck shell=sh
if [ -n "${BASH_VERSION:-}" ]; then
    # shellcheck disable=SC3028,SC3054 # bash's own
    _softascend_file=${BASH_SOURCE[0]}
elif [ -n "${ZSH_VERSION:-}" ]; then
    _softascend_file=$0
else
    # dash does not tell a sourced file its path, but it holds it open.
    _softascend_file=
    for _softascend_fd in "/proc/$$/fd"/*; do
        case $(readlink "$_softascend_fd") in
        */set_env.sh) _softascend_file=$(readlink "$_softascend_fd") ;;
        esac
    done
fi
_softascend_home=$(CDPATH='' cd -- "$(dirname -- "$_softascend_file")" && pwd)
if [ -f "$_softascend_home/lib64/libascendcl.so" ]; then
    export ASCEND_HOME_PATH="$_softascend_home"
    export ASCEND_TOOLKIT_HOME="$_softascend_home"
    export PATH="$_softascend_home/bin${PATH:+:$PATH}"
    export LD_LIBRARY_PATH="$_softascend_home/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
else
    echo "set_env.sh: there is no lib64/libascendcl.so beside it in \"$_softascend_home\"" >&2
fi
unset _softascend_file _softascend_fd _softascend_home
