import type { FaultProxy } from "../../../../test/fault-proxy.ts";
import type { RestartableServer } from "../../../../test/restartable-server.ts";
import type { Fault } from "./faults.ts";

const ofAnyServer = (server: RestartableServer): readonly Fault[] => [
  { name: "killed, and started again after 3 s", begin: server.kill, end: server.start },
  {
    name: "stopped (SIGSTOP) for 7 s",
    lastsMs: 7_000,
    begin: async () => server.pause(),
    end: async () => server.resume(),
  },
];

const ofAnyNetwork = (proxy: FaultProxy): readonly Fault[] => {
  const as = (mode: Parameters<FaultProxy["set"]>[0]) => ({
    begin: async () => proxy.set(mode),
    end: async () => proxy.set("pass"),
  });
  return [
    { name: "connections reset and refused for 3 s", ...as("refuse") },
    { name: "every answer 5 s late, for 12 s", lastsMs: 12_000, ...as(2_500) },
    { name: "connections half open", lastsMs: 0, ...as("hole") },
  ];
};

/** Possible faults of any server and its network. */
export const serverFaults = (server: RestartableServer, proxy: FaultProxy): readonly Fault[] => [
  ...ofAnyServer(server),
  ...ofAnyNetwork(proxy),
];
