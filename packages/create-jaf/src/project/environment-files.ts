import { type Choices, type Environment, variablesOf } from "../choices.ts";

const NOTHING = "# Environment variables of this project, e.g. API keys.\n";

/** A value as `.env` has it: in quotes that it doesn't have itself, if it has a space, a # or quotes. */
function quoted(value: string): string {
  if (!/[\s#'"`]/.test(value)) return value;
  const quote = ["'", "`", '"'].find((each) => !value.includes(each)) ?? "";
  return `${quote}${value}${quote}`;
}

/** The text of `.env` with these values in place of the defaults. */
function environmentFile(choices: Choices, values: Environment): string {
  const entries = variablesOf(choices).map(
    ({ name, about, value }) => `# ${about}\n${name}=${quoted((values[name] ?? value).trim())}\n`,
  );
  return entries.join("\n") || NOTHING;
}

/** `.env` holds what the user typed in and isn't committed; `.env.example` says what it needs. */
export const environmentFiles = (choices: Choices) => ({
  ".env": environmentFile(choices, choices.secrets),
  ".env.example": environmentFile(choices, {}),
});
