/** How keys begin that services give out, and how long they are at least. */
const PREFIXES: readonly (readonly [prefix: string, length: number])[] = [
  ["sk-", 20], // OpenAI, Anthropic, DeepSeek, OpenRouter
  ["sk_live_", 20], // Stripe, Clerk
  ["sk_test_", 20],
  ["rk_live_", 20],
  ["rk_test_", 20],
  ["pk_live_", 20],
  ["whsec_", 20],
  ["ghp_", 30], // GitHub
  ["gho_", 30],
  ["ghu_", 30],
  ["ghs_", 30],
  ["ghr_", 30],
  ["github_pat_", 30],
  ["glpat-", 20], // GitLab
  ["xoxb-", 20], // Slack
  ["xoxp-", 20],
  ["xoxa-", 20],
  ["xoxr-", 20],
  ["xoxs-", 20],
  ["xapp-", 20],
  ["AKIA", 20], // AWS
  ["ASIA", 20],
  ["AIza", 35], // Google
  ["ya29.", 20],
  ["GOCSPX-", 20],
  ["npm_", 30],
  ["pypi-", 20],
  ["hf_", 20], // Hugging Face
  ["gsk_", 20], // Groq
  ["xai-", 20],
  ["r8_", 20], // Replicate
  ["SG.", 20], // SendGrid
  ["dop_v1_", 20], // DigitalOcean
  ["dckr_pat_", 20], // Docker
  ["shpat_", 20], // Shopify
  ["lin_api_", 20], // Linear
  ["sbp_", 20], // Supabase
  ["pscale_tkn_", 20], // PlanetScale
  ["AGE-SECRET-KEY-1", 40],
];

const byFirst = new Map<string, (readonly [prefix: string, length: number])[]>();
for (const entry of PREFIXES) {
  const [first = ""] = entry[0];
  byFirst.set(first, [...(byFirst.get(first) ?? []), entry]);
}

/** Whether a text is a key by how it begins, as far as its length and a digit in it bear that out. */
export function isKnownKey(text: string): boolean {
  const known = byFirst.get(text.charAt(0))?.find(([prefix]) => text.startsWith(prefix));
  if (known !== undefined) return text.length >= known[1] && /\d/.test(text);
  return isJsonWebToken(text);
}

/** Three parts with dots between, of which the first is a JSON object in base64. */
function isJsonWebToken(text: string): boolean {
  if (!text.startsWith("eyJ")) return false;
  const first = text.indexOf(".");
  const second = first === -1 ? -1 : text.indexOf(".", first + 1);
  return first > 8 && second > first + 8;
}
