//===- Campaign.h - Checking many seeds in processes of their own -*- C++ -*-=//

#ifndef TC_FUZZ_CAMPAIGN_H
#define TC_FUZZ_CAMPAIGN_H

#include "TC/Fuzz/Generator.h"

namespace tc::fuzz {

struct CampaignOptions {
  GenerateOptions generate;
  uint64_t firstSeed = 1;
  uint64_t count = 100;     ///< seeds, at most
  uint64_t duration = 0;    ///< seconds after which no seed is begun; 0: no end
  unsigned jobs = 1;        ///< processes at a time
  unsigned timeLimit = 300; ///< seconds for one seed
};

struct CampaignResult {
  uint64_t modules = 0;
  uint64_t failures = 0; ///< modules, crashes and hangs among them
};

/// Checks the seeds in processes of their own, so that a crash or a hang is one
/// seed's and is reported with it. Findings are printed to standard output.
/// Call it before the process has threads.
CampaignResult runCampaign(const CampaignOptions &options);

} // namespace tc::fuzz

#endif // TC_FUZZ_CAMPAIGN_H
