# Makes the file system of an execution environment in a mount namespace of its own, and becomes the runtime client.
# usage: sandbox.sh TASK LAYER STAGE NODE; the environment is what the function sees.
set -eu
task=$1 layer=$2 stage=$3 node=$4
[ -d /var/task ] || mkdir -p /var/task 2>/dev/null || { mount -t tmpfs tmpfs /var && mkdir /var/task; }
# Node may lie under /opt, which is covered next.
mount --bind "$node" "$stage/node"
mount --bind "$task" /var/task
mount --bind "$layer" /opt
cd /var/task
exec "$stage/node" "$stage/index.mjs" "$_HANDLER"
