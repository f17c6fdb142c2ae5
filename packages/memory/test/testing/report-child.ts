/** Reports on a provider that reorders batches, in a process without a test runner. */
import { checkMemoryProvider } from "@jaf/memory/testing";
import { openIntact } from "./broken/broken.ts";

const reports = await checkMemoryProvider({
  name: "reordering",
  levels: ["contract"],
  capabilities: { durability: { unsupported: "it lives in one process" } },
  createStore: async () => {
    const intact = openIntact();
    const provider: typeof intact = {
      ...intact,
      appendMessages: (id, messages, ...rest) => intact.appendMessages(id, messages.toReversed(), ...rest),
    };
    return { provider, dispose: async () => void (await provider.close()) };
  },
});
const plain = reports.map((report) =>
  report.status === "failed" ? { ...report, error: report.error.message } : report,
);
process.stdout.write(JSON.stringify(plain));
