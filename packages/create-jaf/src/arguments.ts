import { parseArgs } from "node:util";
import {
  INTERFACES,
  type Interface,
  MODELS,
  type Model,
  PACKAGE_MANAGERS,
  type PackageManager,
  STORAGES,
  type Storage,
} from "./choices.ts";
import { Failure } from "./failure.ts";

export const USAGE = `Creates an agent with JAF.

  npm create jaf@latest [folder] -- [options]

  --model            ${MODELS.join(", ")}
  --storage          ${STORAGES.join(", ")}
  --ui               ${INTERFACES.join(", ")}
  --package-manager  ${PACKAGE_MANAGERS.join(", ")} (default: the one that runs this)
  --no-install       only writes the files
  --yes, -y          asks nothing: what isn't given is chosen by default
  --version, -v      prints the version
  --help, -h         prints this

By default, the model is that of the API key in the environment, else offline; the storage is
embedded, and the agent is a chat in the terminal. Without a terminal, nothing is asked.`;

/** What the command line says. A field that is absent is asked, or chosen by default. */
export interface Arguments {
  readonly command: "create" | "help" | "version";
  readonly folder: string | undefined;
  readonly model: Model | undefined;
  readonly storage: Storage | undefined;
  readonly interface: Interface | undefined;
  readonly packageManager: PackageManager | undefined;
  readonly install: boolean;
  readonly yes: boolean;
}

const options = {
  model: { type: "string" },
  storage: { type: "string" },
  ui: { type: "string" },
  "package-manager": { type: "string" },
  "no-install": { type: "boolean" },
  yes: { type: "boolean", short: "y" },
  version: { type: "boolean", short: "v" },
  help: { type: "boolean", short: "h" },
} as const;

const HELP = "--help lists all options.";

/** Throws a {@link Failure} for an unknown option, and for a value that an option doesn't have. */
export function parseArguments(argv: readonly string[]): Arguments {
  const { values, positionals } = parsed(argv);
  const [folder, ...more] = positionals;
  if (more.length > 0) throw new Failure(`Expected one folder, not ${positionals.join(" ")}. ${HELP}`);
  return {
    command: values.help ? "help" : values.version ? "version" : "create",
    folder,
    model: oneOf("--model", MODELS, values.model),
    storage: oneOf("--storage", STORAGES, values.storage),
    interface: oneOf("--ui", INTERFACES, values.ui),
    packageManager: oneOf("--package-manager", PACKAGE_MANAGERS, values["package-manager"]),
    install: values["no-install"] !== true,
    yes: values.yes === true,
  };
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (thrown) {
    // Its first sentence names the option; the next ones explain how to write a folder that begins with a hyphen.
    const [reason = ""] = thrown instanceof Error ? thrown.message.split(". ") : [];
    throw new Failure(`${reason.replace(/\.$/, "")}. ${HELP}`);
  }
}

function oneOf<T extends string>(
  option: string,
  all: readonly T[],
  given: string | undefined,
): T | undefined {
  const found = all.find((each) => each === given);
  if (found !== undefined || given === undefined) return found;
  throw new Failure(`${option}: expected ${all.join(", ")}, not ${JSON.stringify(given)}.`);
}
