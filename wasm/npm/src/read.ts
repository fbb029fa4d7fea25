/** The bytes of a file that lies beside the package's code, over the network. */
export async function read(url: URL | string): Promise<ArrayBuffer> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} is answered by ${response.status}; it must be the package's .wasm file`)
  return response.arrayBuffer()
}
