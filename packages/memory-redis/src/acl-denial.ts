/** What servers say, of a single command or from within a script. */
const DENIAL =
  /(?:^|[\s-])NOPERM\b|ACL failure in script|user executing the script can't (?:run this command|access at least one of the keys)/;

const COMMAND = /no permissions to run the '([\w|-]+)' command/;

const KEY = /access (?:one of the keys|at least one of the keys|a key|the )/;

const SCRIPT_COMMAND = /can't run this command/;

const AT_LINE = /on @user_script:(\d+)/;

const CALLED = /redis\.p?call\('(\w+)'/;

/** What a user may not do. */
export type Denial =
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "keys" | "unknown" };

/** `undefined` for a message of anything else. Commands are in capitals, e.g. `ZADD`. */
export function denialOf(message: string): Denial | undefined {
  if (!DENIAL.test(message)) return undefined;
  const command = COMMAND.exec(message)?.[1];
  if (command !== undefined) return { kind: "command", command: command.toUpperCase() };
  return { kind: KEY.test(message) ? "keys" : "unknown" };
}

/**
 * The denial of a command within a script, in the words for single commands, which name it: before 7.2, Redis gives only
 * the line. `undefined` for any other error.
 */
export function namedDenial(thrown: unknown, source: string): Error | undefined {
  if (!(thrown instanceof Error) || !SCRIPT_COMMAND.test(thrown.message)) return undefined;
  const line = AT_LINE.exec(thrown.message)?.[1];
  const command = CALLED.exec(source.split("\n")[Number(line) - 1] ?? "")?.[1];
  return command === undefined
    ? undefined
    : new Error(`NOPERM no permissions to run the '${command}' command`, { cause: thrown });
}
