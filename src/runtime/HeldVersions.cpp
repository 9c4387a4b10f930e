// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/HeldVersions.h"
#include "runtime/HsaApi.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace luthier::runtime {

HeldVersions::~HeldVersions() {
  if (!isHsaOpen())
    return;
  for (const Batch &B : Dropped)
    coreApi().hsa_signal_destroy_fn(B.Done);
}

void HeldVersions::add(HeldVersion Version) {
  if (Version && !is_contained(Current, Version))
    Current.push_back(std::move(Version));
}

bool HeldVersions::submitting(hsa_barrier_and_packet_t &Marker) {
  erase_if(Dropped, [](const Batch &B) {
    if (coreApi().hsa_signal_load_scacquire_fn(B.Done) >= 1)
      return false;
    coreApi().hsa_signal_destroy_fn(B.Done);
    return true;
  });
  if (none_of(Current, [](auto &V) { return V->IsDropped.load(); }))
    return false;
  // Without a signal, they stay a little longer.
  Batch New;
  if (coreApi().hsa_signal_create_fn(1, 0, nullptr, &New.Done) !=
      HSA_STATUS_SUCCESS)
    return false;
  auto IsKept = [](const HeldVersion &V) { return !V->IsDropped; };
  auto Begin = std::partition(Current.begin(), Current.end(), IsKept);
  New.Versions.assign(Begin, Current.end());
  Current.erase(Begin, Current.end());
  Dropped.push_back(std::move(New));
  Marker = {};
  Marker.header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
                  1 << HSA_PACKET_HEADER_BARRIER;
  Marker.completion_signal = Dropped.back().Done;
  return true;
}

} // namespace luthier::runtime
