#!/bin/sh
# Tells Spark which GPUs this host has: spark.worker.resource.gpu.discoveryScript, or, where no worker of Spark
# starts the executors, spark.executor.resource.gpu.discoveryScript. A host without a GPU has eight addresses of the
# simulated device, so that the scheduler assigns them like those of GPUs.
addresses=$(nvidia-smi --query-gpu=index --format=csv,noheader 2>/dev/null) || addresses=
if [ -z "$addresses" ]; then
  for number in 0 1 2 3 4 5 6 7; do
    addresses="$addresses simulated-$number"
  done
fi
list=
for address in $addresses; do
  list="$list${list:+,}\"$address\""
done
echo "{\"name\": \"gpu\", \"addresses\": [$list]}"
