/** What a project is made of. Each choice has one table here, which the flags, the questions and the files read. */

export const MODELS = ["offline", "openai", "anthropic", "google", "compatible"] as const;
export const STORAGES = ["embedded", "redis", "postgres"] as const;
export const INTERFACES = ["terminal", "server", "page", "none"] as const;
export const PACKAGE_MANAGERS = ["npm", "pnpm", "yarn", "bun"] as const;

export type Model = (typeof MODELS)[number];
export type Storage = (typeof STORAGES)[number];
export type Interface = (typeof INTERFACES)[number];
export type PackageManager = (typeof PACKAGE_MANAGERS)[number];

/** Environment variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Everything that decides which files a project has. */
export interface Choices {
  /** The name in the project's package.json. */
  readonly name: string;
  readonly model: Model;
  readonly storage: Storage;
  readonly interface: Interface;
  readonly packageManager: PackageManager;
  /** API keys and URLs that the user typed in, for the file `.env`. */
  readonly secrets: Environment;
}

export interface Variable {
  readonly name: string;
  /** What the variable is, as a comment of `.env`. */
  readonly about: string;
  /** The value in `.env`. Empty: the user has to fill it in. */
  readonly value: string;
}

interface Described {
  readonly label: string;
  readonly hint: string;
  readonly variables: readonly Variable[];
}

const key = (name: string, about: string): Variable => ({ name, about, value: "" });

export const models: Readonly<Record<Model, Described>> = {
  offline: {
    label: "Offline",
    hint: "no key and no network: a few fixed rules stand in for a model",
    variables: [],
  },
  openai: {
    label: "OpenAI",
    hint: "OPENAI_API_KEY",
    variables: [key("OPENAI_API_KEY", "From https://platform.openai.com/api-keys")],
  },
  anthropic: {
    label: "Anthropic",
    hint: "ANTHROPIC_API_KEY",
    variables: [key("ANTHROPIC_API_KEY", "From https://platform.claude.com/settings/keys")],
  },
  google: {
    label: "Google",
    hint: "GOOGLE_GENERATIVE_AI_API_KEY",
    variables: [key("GOOGLE_GENERATIVE_AI_API_KEY", "From https://aistudio.google.com/apikey")],
  },
  compatible: {
    label: "OpenAI-compatible endpoint",
    hint: "Ollama, vLLM, LM Studio, OpenRouter or another one",
    variables: [
      {
        name: "OPENAI_BASE_URL",
        about: "The endpoint. This is Ollama's on this machine",
        value: "http://localhost:11434/v1",
      },
      { name: "MODEL", about: "A model of the endpoint", value: "qwen3" },
      key("OPENAI_API_KEY", "Only if the endpoint needs a key"),
    ],
  },
};

export const storages: Readonly<Record<Storage, Described>> = {
  embedded: {
    label: "Embedded",
    hint: "Postgres inside the program (PGlite), in the folder data; nothing to start",
    variables: [],
  },
  redis: {
    label: "Redis",
    hint: "a server; Docker Compose starts one",
    variables: [{ name: "REDIS_URL", about: "Where Redis is", value: "redis://localhost:6379" }],
  },
  postgres: {
    label: "Postgres",
    hint: "a server; Docker Compose starts one",
    variables: [
      {
        name: "DATABASE_URL",
        about: "Where Postgres is",
        value: "postgres://postgres:postgres@localhost:5432/postgres",
      },
    ],
  },
};

const port: Variable = { name: "PORT", about: "Where the server listens", value: "3000" };

export const interfaces: Readonly<Record<Interface, Described>> = {
  terminal: { label: "Terminal chat", hint: "replies are streamed", variables: [] },
  server: { label: "Server", hint: "HTTP with streams, for an application of yours", variables: [port] },
  page: { label: "Server with a page", hint: "the server, and a chat in the browser", variables: [port] },
  none: { label: "Script", hint: "asks one question and prints the reply", variables: [] },
};

/** The variables of a project, in the order of `.env`. */
export const variablesOf = ({ model, storage, interface: shown }: Choices): readonly Variable[] => [
  ...models[model].variables,
  ...storages[storage].variables,
  ...interfaces[shown].variables,
];

/** The model of the first API key in the environment. Without one, it is the offline model. */
export function detectModel(environment: Environment): Model {
  if (environment["OPENAI_BASE_URL"]) return "compatible";
  const isSet = (model: Model) => models[model].variables.some(({ name }) => environment[name]);
  return (["openai", "anthropic", "google"] as const).find(isSet) ?? "offline";
}
