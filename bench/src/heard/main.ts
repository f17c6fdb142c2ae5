import { holdsSecret } from "@jaf/memory/internal";
import { asksNotToKeep } from "../../../packages/user-memory/src/evidence/off-record.ts";
import { withoutSecrets } from "../../../packages/user-memory/src/evidence/passages.ts";
import {
  type Half,
  ordinaryOf,
  requestsOf,
  secretsOf,
} from "../../../packages/user-memory/test/support/heard-sets.ts";

/** Prints what is heard of the sets in `heard-sets.ts`. With `--misses`, also what the halves `development` and `kept` miss. */
const halves: readonly Half[] = ["development", "kept", "later"];

const share = (count: number, of: number): string =>
  `${count} of ${of} (${((100 * count) / of).toFixed(1)} %)`;

for (const half of halves) {
  const requests = requestsOf(half);
  const missed = requests.filter(([, text]) => !asksNotToKeep(text));
  const secrets = secretsOf(half);
  const kept = secrets.filter(({ text, value }) => withoutSecrets(text).includes(value));
  const ordinary = ordinaryOf(half);
  const falseRequests = ordinary.filter(asksNotToKeep);
  const falseSecrets = ordinary.filter(holdsSecret);
  console.log(`${half}:
  requests not to keep something, heard: ${share(requests.length - missed.length, requests.length)}
  secrets kept as facts: ${share(kept.length, secrets.length)}
  ordinary messages taken for a request: ${share(falseRequests.length, ordinary.length)}
  ordinary messages taken for a secret: ${share(falseSecrets.length, ordinary.length)}`);
  // The misses of `later` stay unread, so that it can be measured again.
  if (half !== "later" && process.argv.includes("--misses"))
    console.log(
      [...missed.flat(), ...kept.map(({ text }) => text), ...falseRequests, ...falseSecrets].join("\n"),
    );
}
