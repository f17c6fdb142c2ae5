import { isCancel, password, select, text } from "@clack/prompts";
import type { Arguments } from "./arguments.ts";
import {
  detectModel,
  type Environment,
  INTERFACES,
  interfaces,
  MODELS,
  type Model,
  models,
  STORAGES,
  storages,
} from "./choices.ts";
import { Failure } from "./failure.ts";
import { nameOf, requireEmpty } from "./project/write.ts";

const DEFAULT_FOLDER = "my-agent";

/** What the user decided. */
export interface Answers {
  readonly folder: string;
  readonly model: Model;
  readonly storage: (typeof STORAGES)[number];
  readonly interface: (typeof INTERFACES)[number];
  readonly secrets: Environment;
}

/** Fills in defaults for what isn't given. */
export const withDefaults = (given: Arguments, environment: Environment): Answers => ({
  folder: given.folder ?? DEFAULT_FOLDER,
  model: given.model ?? detectModel(environment),
  storage: given.storage ?? "embedded",
  interface: given.interface ?? "terminal",
  secrets: {},
});

/** Asks for what isn't given. Throws a {@link Failure} if the user cancels. */
export async function ask(given: Arguments, environment: Environment): Promise<Answers> {
  const folder = given.folder ?? (await askFolder());
  const chosen = { ...given, folder };
  const model = given.model ?? (await choose("Which model?", MODELS, models, detectModel(environment)));
  const storage = given.storage ?? (await choose("Where are conversations stored?", STORAGES, storages));
  const shown = given.interface ?? (await choose("How do you talk to it?", INTERFACES, interfaces));
  const secrets = await askVariables(model, environment);
  return { ...withDefaults(chosen, environment), model, storage, interface: shown, secrets };
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new Failure("Cancelled. Nothing was written.");
  return answer as Exclude<T, symbol>;
}

async function askFolder(): Promise<string> {
  const validate = (folder = ""): string | undefined => {
    try {
      nameOf(folder || DEFAULT_FOLDER);
      requireEmpty(folder || DEFAULT_FOLDER);
      return undefined;
    } catch (thrown) {
      return (thrown as Failure).message;
    }
  };
  const message = "In which folder?";
  return answered(
    await text({ message, placeholder: DEFAULT_FOLDER, defaultValue: DEFAULT_FOLDER, validate }),
  );
}

type Labels<T extends string> = Readonly<Record<T, { readonly label: string; readonly hint: string }>>;

async function choose<T extends string>(
  message: string,
  all: readonly T[],
  labels: Labels<T>,
  initialValue = all[0],
): Promise<T> {
  const options = all.map((value) => ({ value: value as string, ...labels[value] }));
  const chosen = answered(await select<string>({ message, options, initialValue: initialValue as string }));
  return chosen as T;
}

/** Asks for the variables of a model that the environment doesn't have. They are written to `.env`. */
async function askVariables(model: Model, environment: Environment): Promise<Environment> {
  const answers: Record<string, string> = {};
  for (const { name, about, value } of models[model].variables) {
    if (environment[name]) continue;
    const message = `${name} (${about}; empty: later, in .env)`;
    const answer = name.endsWith("_API_KEY")
      ? await password({ message })
      : await text({ message: `${name} (${about})`, defaultValue: value, placeholder: value });
    answers[name] = answered(answer) ?? "";
  }
  return answers;
}
