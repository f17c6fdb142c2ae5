/** How names end of what is secret, in small letters and without separators. */
const ENDINGS: readonly string[] = [
  ...["password", "passwd", "passphrase", "pwd"],
  ...["secret", "secretkey", "clientsecret", "credential", "credentials"],
  ...["token", "apikey", "accesskey", "accountkey", "authkey", "privatekey", "signingkey", "encryptionkey"],
  ...["authorization", "sessionid"],
];

const LONGEST = 64;

/** Whether what follows a name is secret, e.g. `DB_PASSWORD`, `apiKey`, `x-api-key`. */
export function isSecretName(name: string): boolean {
  if (name.length > LONGEST) return false;
  const plain = name.toLowerCase().replace(/[-_.\s]/g, "");
  return ENDINGS.some((ending) => plain.endsWith(ending));
}

/** Words after such a name that describe the value and aren't the value itself. */
const REMARKS: ReadonlySet<string> = new Set([
  ...[
    "required",
    "missing",
    "invalid",
    "expired",
    "revoked",
    "empty",
    "wrong",
    "incorrect",
    "unknown",
    "denied",
  ],
  ...[
    "unauthorized",
    "forbidden",
    "null",
    "undefined",
    "none",
    "true",
    "false",
    "string",
    "number",
    "boolean",
  ],
]);

export const isRemark = (value: string): boolean => REMARKS.has(value.toLowerCase());

const SCHEMES: ReadonlySet<string> = new Set(["bearer", "basic", "token", "digest", "apikey"]);

/** Whether it is the first word of an `Authorization` header, whose second is the secret. */
export const isScheme = (word: string): boolean => word.length <= 6 && SCHEMES.has(word.toLowerCase());
