/** Field numbers of ONNX's protobuf messages that are read or written here. */
const MODEL_GRAPH = 7;
const GRAPH_NODE = 1;
const GRAPH_OUTPUT = 12;
const NODE_OUTPUT = 2;
const NODE_OP_TYPE = 4;

/** A model's file that also returns its attention, and the names of those outputs, one a layer, in the model's order. */
export interface AttentiveModel {
  readonly file: Uint8Array;
  readonly outputs: readonly string[];
}

/**
 * The model with every Softmax result among its outputs: [batch, heads, pieces, pieces], each row summing to 1. A protobuf
 * reader merges repeated messages, so the outputs are appended to the file's bytes and nothing is rewritten; vectors stay what
 * they were (facts/models.md 2.2). `outputs` is empty for a model without Softmax nodes. Made in memory, never kept.
 */
export function withAttention(file: Uint8Array): AttentiveModel {
  const outputs = softmaxOutputs(file);
  const added = concat(outputs.map((name) => message(GRAPH_OUTPUT, concat([message(1, utf8(name)), floatTensor()]))));
  return { file: outputs.length === 0 ? file : concat([file, message(MODEL_GRAPH, added)]), outputs };
}

/** ValueInfoProto.type: a tensor of FLOAT (1), its shape left to the runtime. */
const floatTensor = (): Uint8Array => message(2, message(1, Uint8Array.of(1 << 3, 1)));

function softmaxOutputs(file: Uint8Array): string[] {
  const outputs: string[] = [];
  for (const graph of fieldsOf(file)) {
    if (graph.number !== MODEL_GRAPH) continue;
    for (const node of fieldsOf(graph.bytes)) {
      if (node.number !== GRAPH_NODE) continue;
      const fields = [...fieldsOf(node.bytes)];
      const output = fields.find(({ number }) => number === NODE_OUTPUT);
      const isSoftmax = fields.some(({ number, bytes }) => number === NODE_OP_TYPE && text(bytes) === 'Softmax');
      if (isSoftmax && output !== undefined) outputs.push(text(output.bytes));
    }
  }
  return outputs;
}

interface Field {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** The length-delimited fields of a message; the others are stepped over. */
function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('model.onnx ends in the middle of a message');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const wire = tag % 8;
    if (wire === 0) varint();
    else if (wire === 1) at += 8;
    else if (wire === 5) at += 4;
    else if (wire === 2) {
      const length = varint();
      if (at + length > bytes.length) throw new Error('model.onnx ends in the middle of a message');
      yield { number: Math.floor(tag / 8), bytes: bytes.subarray(at, at + length) };
      at += length;
    } else throw new Error(`model.onnx holds a field of the unknown wire type ${wire}`);
  }
}

function message(number: number, content: Uint8Array): Uint8Array {
  return concat([Uint8Array.from([...varintOf(number * 8 + 2), ...varintOf(content.length)]), content]);
}

function varintOf(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varintOf(Math.floor(value / 128))];
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const utf8 = (name: string): Uint8Array => new TextEncoder().encode(name);
