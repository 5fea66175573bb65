import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Ids in MiniLM's vocabulary. */
const VOCABULARY = 30_522;

/**
 * Fills a folder with a token classifier of two labels in ONNX, one Gather over a table, and the tokenizer of another folder: it
 * keeps what has a vocabulary id of at least `from`.
 */
export async function writeTinyClassifier(folder: string, tokenizerFolder: string, from: number): Promise<void> {
  const logits = Float32Array.from({ length: VOCABULARY * 2 }, (_, at) => (at % 2 === 1 && Math.floor(at / 2) >= from ? 3 : 0));
  const initializer = [
    ...[0x08, ...varint(VOCABULARY), 0x08, ...varint(2)], // dims
    ...[0x10, 1], // float
    ...message(8, [...Buffer.from('table')]),
  ];
  const rawData = Buffer.from(logits.buffer);
  const node = [
    ...message(1, [...Buffer.from('table')]),
    ...message(1, [...Buffer.from('input_ids')]),
    ...message(2, [...Buffer.from('logits')]),
    ...message(4, [...Buffer.from('Gather')]),
  ];
  const value = (name: string, type: number, dims: readonly (string | number)[]): number[] => {
    const shape = dims.flatMap((dim) =>
      message(1, typeof dim === 'number' ? [0x08, ...varint(dim)] : message(2, [...Buffer.from(dim)])),
    );
    return [...message(1, [...Buffer.from(name)]), ...message(2, message(1, [0x08, type, ...message(2, shape)]))];
  };
  const tensor = Buffer.concat([
    Buffer.from(initializer),
    Buffer.from([...varint(9 * 8 + 2), ...varint(rawData.length)]),
    rawData,
  ]);
  const graph = Buffer.concat([
    Buffer.from(message(1, node)),
    Buffer.from(message(2, [...Buffer.from('tiny')])),
    Buffer.from([...varint(5 * 8 + 2), ...varint(tensor.length)]),
    tensor,
    Buffer.from(message(11, value('input_ids', 7, ['batch', 'length']))),
    Buffer.from(message(12, value('logits', 1, ['batch', 'length', 2]))),
  ]);
  const model = Buffer.concat([
    Buffer.from([0x08, 8]), // ir_version
    Buffer.from(message(8, [0x10, 13])), // opset 13
    Buffer.from([...varint(7 * 8 + 2), ...varint(graph.length)]),
    graph,
  ]);
  await writeFile(join(folder, 'model.onnx'), model);
  await cp(join(tokenizerFolder, 'tokenizer.json'), join(folder, 'tokenizer.json'));
}

const varint = (value: number): number[] => (value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]);
const message = (field: number, content: readonly number[]): number[] => [
  ...varint(field * 8 + 2),
  ...varint(content.length),
  ...content,
];
