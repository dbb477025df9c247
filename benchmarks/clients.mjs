// One conversation of twenty turns by the Vercel AI SDK, or by OpenAI's own for JavaScript.
import { readFileSync } from "node:fs";

const [which, baseURL] = process.argv.slice(2);
const words = JSON.parse(readFileSync(0, "utf8"));
const messages = [{ role: "system", content: "You are a travel agent." }];

async function ask() {
  if (which === "openai-js") {
    const { default: OpenAI } = await import("openai");
    const client = new OpenAI({ baseURL, apiKey: "none" });
    const stream = await client.chat.completions.create({ model: "any", messages, stream: true });
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta?.content ?? "";
    return text;
  }
  const { streamText } = await import("ai");
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const provider = createOpenAICompatible({ name: "pace", baseURL, apiKey: "none" });
  const [system, ...rest] = messages;
  const result = streamText({ model: provider("any"), system: system.content, messages: rest });
  let text = "";
  for await (const piece of result.textStream) text += piece;
  return text;
}

for (const text of words) {
  messages.push({ role: "user", content: text });
  messages.push({ role: "assistant", content: await ask() });
}
