import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import * as yaml from "yaml";

/**
 * The schema is `schema/compose-spec.json` of github.com/compose-spec/compose-spec at 170098b, unchanged. Copyright 2020
 * The Compose Specification Authors, under the Apache License 2.0.
 */
const schemaFile = new URL("compose-spec.json", import.meta.url);

interface Service {
  readonly image?: string;
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy?: { readonly replicas?: number };
  readonly healthcheck?: object;
  readonly stop_grace_period?: string;
  readonly volumes?: readonly string[];
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}

const VARIABLE = /\$\{([A-Z_]+)(?:(:[-?])([^}]*))?\}/g;

/** The names of the variables that a Compose file takes from its environment. */
export const variablesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(VARIABLE)].map(([, name = ""]) => name)),
];

/** Reads a Compose file as Docker Compose does with these variables. Throws if it breaks the specification's schema. */
export function readComposeFile(text: string, variables: Readonly<Record<string, string>>): ComposeFile {
  const filled = text.replaceAll(VARIABLE, (_, name: string, operator: string, rest: string) => {
    const value = variables[name] ?? "";
    if (value !== "" || operator === undefined) return value;
    if (operator === ":?") throw new Error(`${name}: ${rest}`);
    return rest;
  });
  const file: ComposeFile = yaml.parse(filled, { merge: true });
  const { $schema: _, ...schema } = JSON.parse(readFileSync(schemaFile, "utf8"));
  // Its formats ("duration", "ports") are those of Compose's own validator.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  if (!ajv.validate(schema, file)) throw new Error(ajv.errorsText(ajv.errors, { separator: "\n" }));
  return file;
}
