import { type Choices, INTERFACES, MODELS, STORAGES } from "../src/choices.ts";

/** The choices of a test's project, with these in place of the defaults. */
export const choicesWith = (more: Partial<Choices> = {}): Choices => ({
  name: "my-agent",
  model: "offline",
  storage: "embedded",
  interface: "terminal",
  packageManager: "npm",
  secrets: {},
  ...more,
});

export const combinations: readonly Choices[] = MODELS.flatMap((model) =>
  STORAGES.flatMap((storage) => INTERFACES.map((shown) => choicesWith({ model, storage, interface: shown }))),
);

export const labelOf = (choices: Choices): string =>
  `${choices.model}-${choices.storage}-${choices.interface}`;
